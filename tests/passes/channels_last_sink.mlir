// RUN: partyline-opt %s --party-channels-last --split-input-file | FileCheck %s

// A residual block: both operands of the sum come through the same transposition, which sinks to the Flatten and there
// becomes the order of the product's weight: 48 = C 3 * H 4 * W 4 rows: view [3, 4, 4, 5], permutation [1, 2, 0, 3].
// CHECK-LABEL: @model
// CHECK-NOT: party.transpose
// CHECK: party.parameter "v" {{.*}} permutation = array<i64: 1, 2, 0, 3>, view = array<i64: 3, 4, 4, 5>} : tensor<48x5xf32>
// CHECK-NOT: party.transpose
// CHECK: %[[R:.*]] = party.relu %{{.*}} -> tensor<?x4x4x3xf32>
// CHECK-NEXT: %[[D:.*]] = party.conv %[[R]]
// CHECK-NEXT: %[[S:.*]] = party.add %[[D]], %[[R]] {{.*}} -> tensor<?x4x4x3xf32>
// CHECK-NEXT: %[[F:.*]] = party.reshape %[[S]] : (tensor<?x4x4x3xf32>) -> tensor<?x48xf32>
// CHECK-NEXT: party.matmul %[[F]]
func.func @model(%x: tensor<?x2x4x4xf32>, %ids: tensor<?xi32>) -> tensor<?x5xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 3, 2, 1, 1>} : tensor<3x2x1x1xf32>
  %u = party.parameter "u" "parameter" {onnx_shape = array<i64: 3, 3, 1, 1>} : tensor<3x3x1x1xf32>
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 48, 5>} : tensor<48x5xf32>
  %c = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<?x3x4x4xf32>
  %r = party.relu %c : (tensor<?x3x4x4xf32>) -> tensor<?x3x4x4xf32>
  %d = party.conv %r, %u {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x3x4x4xf32>, tensor<3x3x1x1xf32>) -> tensor<?x3x4x4xf32>
  %s = party.add %d, %r : (tensor<?x3x4x4xf32>, tensor<?x3x4x4xf32>) -> tensor<?x3x4x4xf32>
  %f = party.reshape %s : (tensor<?x3x4x4xf32>) -> tensor<?x48xf32>
  %y = party.matmul %f, %v : (tensor<?x48xf32>, tensor<48x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

// Weights of lower rank take the inverse. One value per channel lies as it did, seen as [1, 1, 1, 3]; one value per
// element, [3, 4, 4], lies by permutation [1, 2, 0]. Dropout's sample ids are no data and stay.
// CHECK-LABEL: @model
// CHECK-DAG: party.parameter "b" "parameter" {onnx_shape = array<i64: 3, 1, 1>} : tensor<1x1x1x3xf32>
// CHECK-DAG: party.parameter "e" "parameter" {onnx_shape = array<i64: 3, 4, 4>, permutation = array<i64: 1, 2, 0>, view = array<i64: 3, 4, 4>} : tensor<1x4x4x3xf32>
// CHECK-NOT: party.transpose
// CHECK: party.add {{.*}} -> tensor<?x4x4x3xf32>
// CHECK-NEXT: party.multiply {{.*}} -> tensor<?x4x4x3xf32>
// CHECK-NEXT: party.dropout %{{.*}}, %arg1 {{.*}} -> tensor<?x4x4x3xf32>
// CHECK-NEXT: party.global_average_pool
func.func @model(%x: tensor<?x2x4x4xf32>, %ids: tensor<?xi32>) -> tensor<?x3x1x1xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 3, 2, 1, 1>} : tensor<3x2x1x1xf32>
  %b = party.parameter "b" "parameter" {onnx_shape = array<i64: 3, 1, 1>} : tensor<3x1x1xf32>
  %e = party.parameter "e" "parameter" {onnx_shape = array<i64: 3, 4, 4>} : tensor<3x4x4xf32>
  %c = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<?x3x4x4xf32>
  %s = party.add %c, %b : (tensor<?x3x4x4xf32>, tensor<3x1x1xf32>) -> tensor<?x3x4x4xf32>
  %m = party.multiply %s, %e : (tensor<?x3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<?x3x4x4xf32>
  %d = party.dropout %m, %ids {layer = 0 : i64, ratio = 0.5 : f64} : (tensor<?x3x4x4xf32>, tensor<?xi32>) -> tensor<?x3x4x4xf32>
  %g = party.global_average_pool %d : (tensor<?x3x4x4xf32>) -> tensor<?x3x1x1xf32>
  return %g : tensor<?x3x1x1xf32>
}

// -----

// Squeeze and excite: a factor per channel, [batch, 3, 1, 1], is only seen as [batch, 1, 1, 3].
// CHECK-LABEL: @model
// CHECK-NOT: party.transpose
// CHECK: %[[C:.*]] = party.conv %arg0
// CHECK: %[[F:.*]] = party.sigmoid
// CHECK-NEXT: %[[G:.*]] = party.reshape %[[F]] : (tensor<?x3xf32>) -> tensor<?x1x1x3xf32>
// CHECK-NEXT: party.multiply %[[C]], %[[G]] : {{.*}} -> tensor<?x4x4x3xf32>
// CHECK-NOT: party.transpose
func.func @model(%x: tensor<?x2x4x4xf32>, %ids: tensor<?xi32>) -> tensor<?x3x1x1xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 3, 2, 1, 1>} : tensor<3x2x1x1xf32>
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 3, 3>} : tensor<3x3xf32>
  %c = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<?x3x4x4xf32>
  %g = party.global_average_pool %c : (tensor<?x3x4x4xf32>) -> tensor<?x3x1x1xf32>
  %f = party.reshape %g : (tensor<?x3x1x1xf32>) -> tensor<?x3xf32>
  %m = party.matmul %f, %v : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>
  %s = party.sigmoid %m : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %e = party.reshape %s : (tensor<?x3xf32>) -> tensor<?x3x1x1xf32>
  %p = party.multiply %c, %e : (tensor<?x3x4x4xf32>, tensor<?x3x1x1xf32>) -> tensor<?x3x4x4xf32>
  %y = party.global_average_pool %p : (tensor<?x3x4x4xf32>) -> tensor<?x3x1x1xf32>
  return %y : tensor<?x3x1x1xf32>
}

// -----

// The sum mixes orders: one operand is the input as it is. The input keeps its order, and nothing sinks.
// CHECK-LABEL: @model(%arg0: tensor<?x2x4x4xf32>,
// CHECK: %[[I:.*]] = party.transpose %arg0 {permutation = array<i64: 0, 2, 3, 1>}
// CHECK-NEXT: %[[C:.*]] = party.conv %[[I]]
// CHECK-NEXT: %[[T:.*]] = party.transpose %[[C]] {permutation = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT: party.add %[[T]], %arg0
func.func @model(%x: tensor<?x2x4x4xf32>, %ids: tensor<?xi32>) -> tensor<?x2x4x4xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 2, 2, 1, 1>} : tensor<2x2x1x1xf32>
  %c = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<?x2x4x4xf32>
  %s = party.add %c, %x : (tensor<?x2x4x4xf32>, tensor<?x2x4x4xf32>) -> tensor<?x2x4x4xf32>
  return %s : tensor<?x2x4x4xf32>
}

// -----

// Functions of one operand, three operands that broadcast, a slope and a condition per channel, and a repetition: the
// transposition sinks through all of them to the end, and the weights take the layout.
// CHECK-LABEL: @model
// CHECK-DAG: party.parameter "slope" {{.*}} tensor<1x1x1x3xf32>
// CHECK-DAG: party.parameter "mask" {{.*}} tensor<1x1x1x3xf32>
// CHECK: %[[C:.*]] = party.conv
// CHECK-NEXT: %[[G:.*]] = party.gelu %[[C]]
// CHECK-NEXT: %[[P:.*]] = party.prelu %[[G]]
// CHECK-NEXT: %[[W:.*]] = party.where {{.*}}, %[[P]], %[[C]]
// CHECK-NEXT: %[[M:.*]] = party.global_average_pool %[[W]]
// CHECK-NEXT: %[[E:.*]] = party.broadcast_to %[[M]] : (tensor<?x1x1x3xf32>) -> tensor<?x4x4x3xf32>
// CHECK-NEXT: %[[X:.*]] = party.maximum %[[W]], %[[E]]
// CHECK-NEXT: party.transpose %[[X]]
// CHECK-NEXT: return
func.func @model(%x: tensor<?x2x4x4xf32>, %ids: tensor<?xi32>) -> tensor<?x3x4x4xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 3, 2, 1, 1>} : tensor<3x2x1x1xf32>
  %s = party.parameter "slope" "parameter" {onnx_shape = array<i64: 3, 1, 1>} : tensor<3x1x1xf32>
  %m = party.parameter "mask" "constant" {onnx_shape = array<i64: 3, 1, 1>} : tensor<3x1x1xf32>
  %c = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<?x3x4x4xf32>
  %g = party.gelu %c : (tensor<?x3x4x4xf32>) -> tensor<?x3x4x4xf32>
  %p = party.prelu %g, %s : (tensor<?x3x4x4xf32>, tensor<3x1x1xf32>) -> tensor<?x3x4x4xf32>
  %r = party.where %m, %p, %c : (tensor<3x1x1xf32>, tensor<?x3x4x4xf32>, tensor<?x3x4x4xf32>) -> tensor<?x3x4x4xf32>
  %a = party.global_average_pool %r : (tensor<?x3x4x4xf32>) -> tensor<?x3x1x1xf32>
  %e = party.broadcast_to %a : (tensor<?x3x1x1xf32>) -> tensor<?x3x4x4xf32>
  %y = party.maximum %r, %e : (tensor<?x3x4x4xf32>, tensor<?x3x4x4xf32>) -> tensor<?x3x4x4xf32>
  return %y : tensor<?x3x4x4xf32>
}
