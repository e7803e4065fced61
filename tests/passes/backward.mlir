// RUN: partyline-opt %s --party-backward --split-input-file | FileCheck %s

// h is used twice: relu's gradient takes the sum of both. x is trained by nobody: no gradient of it is left.
//   y = h V + h: dV = h' dy, dh = dy V' + dy; h = relu(x W): dW = x' (dh where h > 0)
// CHECK-LABEL: @forward_backward
// CHECK: %[[H:.*]] = party.relu
// CHECK: %[[DY:.*]] = party.cross_entropy_gradient
// CHECK: %[[DV:.*]] = party.matmul_weight_gradient %[[H]], %[[DY]]
// CHECK-NEXT: party.store_gradient %[[DV]] {name = "v"}
// CHECK-NEXT: %[[DH:.*]] = party.matmul_input_gradient %[[DY]]
// CHECK-NEXT: %[[SUM:.*]] = party.add %[[DY]], %[[DH]]
// CHECK-NEXT: %[[DR:.*]] = party.relu_gradient %[[H]], %[[SUM]]
// CHECK-NEXT: %[[DW:.*]] = party.matmul_weight_gradient %arg0, %[[DR]]
// CHECK-NEXT: party.store_gradient %[[DW]] {name = "w"}
// CHECK-NEXT: return
func.func @forward_backward(%x: tensor<?x6xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x4xf32>) {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 6, 4>} : tensor<6x4xf32>
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 4, 4>} : tensor<4x4xf32>
  %a = party.matmul %x, %w : (tensor<?x6xf32>, tensor<6x4xf32>) -> tensor<?x4xf32>
  %h = party.relu %a : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = party.matmul %h, %v : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %y = party.add %h, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %l:2 = party.cross_entropy %y, %labels : (tensor<?x4xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x4xf32>)
  return %l#0, %y : tensor<?xf32>, tensor<?x4xf32>
}

// -----

// w is used twice: one store, of the sum of both gradients.
// CHECK-LABEL: @forward_backward
// CHECK: %[[SECOND:.*]] = party.matmul_weight_gradient
// CHECK: %[[FIRST:.*]] = party.matmul_weight_gradient %arg0
// CHECK: %[[SUM:.*]] = party.add %[[SECOND]], %[[FIRST]]
// CHECK-NEXT: party.store_gradient %[[SUM]] {name = "w"}
// CHECK-NOT: store_gradient
func.func @forward_backward(%x: tensor<?x4xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x4xf32>) {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4, 4>} : tensor<4x4xf32>
  %a = party.matmul %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %y = party.matmul %a, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %l:2 = party.cross_entropy %y, %labels : (tensor<?x4xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x4xf32>)
  return %l#0, %y : tensor<?xf32>, tensor<?x4xf32>
}

// -----

// A broadcast is undone by a sum, on the right of a subtraction with the sign turned; a constant and a state have no
// gradient, and what leads away from the loss (the tanh) has none either.
// CHECK-LABEL: @forward_backward
// CHECK: %[[DY:.*]] = party.cross_entropy_gradient
// CHECK-NEXT: %[[DB:.*]] = party.negate_sum %[[DY]] : (tensor<?x4xf32>) -> tensor<4xf32>
// CHECK-NEXT: party.store_gradient %[[DB]] {name = "b"}
// CHECK-NEXT: %[[DX:.*]] = party.multiply %[[DY]], %arg0
// CHECK-NEXT: %[[DS:.*]] = party.sum_to %[[DX]] : (tensor<?x4xf32>) -> tensor<4xf32>
// CHECK-NEXT: party.store_gradient %[[DS]] {name = "s"}
// CHECK-NEXT: return
func.func @forward_backward(%x: tensor<?x4xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x4xf32>) {
  %s = party.parameter "s" "parameter" {onnx_shape = array<i64: 4>} : tensor<4xf32>
  %b = party.parameter "b" "parameter" {onnx_shape = array<i64: 4>} : tensor<4xf32>
  %c = party.parameter "c" "constant" {onnx_shape = array<i64: 4>} : tensor<4xf32>
  %a = party.multiply %x, %s : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %d = party.subtract %a, %b : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %y = party.add %d, %c : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %l:2 = party.cross_entropy %y, %labels : (tensor<?x4xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x4xf32>)
  %t = party.tanh %y : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %l#0, %t : tensor<?xf32>, tensor<?x4xf32>
}

// -----

// Dropout drops from the gradient what it dropped: the same layer and ratio. Max-pooling's gradient goes by its index.
// CHECK-LABEL: @forward_backward
// CHECK: %{{.*}}, %[[I:.*]] = party.max_pool
// CHECK: %[[DP:.*]] = party.reshape %{{.*}} : (tensor<?x2xf32>) -> tensor<?x1x1x2xf32>
// CHECK: %[[D:.*]] = party.max_pool_gradient %[[DP]], %[[I]]
// CHECK-NEXT: party.dropout %[[D]], %arg1 {layer = 3 : i64, ratio = 2.500000e-01 : f64}
func.func @forward_backward(%x: tensor<?x2x2x2xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x2xf32>) {
  %s = party.parameter "s" "parameter" {onnx_shape = array<i64: 2>} : tensor<2xf32>
  %a = party.multiply %x, %s : (tensor<?x2x2x2xf32>, tensor<2xf32>) -> tensor<?x2x2x2xf32>
  %d = party.dropout %a, %ids {layer = 3 : i64, ratio = 0.25 : f64} : (tensor<?x2x2x2xf32>, tensor<?xi32>) -> tensor<?x2x2x2xf32>
  %p:2 = party.max_pool %d {channels_last, dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x2x2xf32>) -> (tensor<?x1x1x2xf32>, tensor<?x1x1x2xui8>)
  %y = party.reshape %p#0 : (tensor<?x1x1x2xf32>) -> tensor<?x2xf32>
  %l:2 = party.cross_entropy %y, %labels : (tensor<?x2xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x2xf32>)
  return %l#0, %y : tensor<?xf32>, tensor<?x2xf32>
}
