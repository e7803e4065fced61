// RUN: partyline-opt %s --party-channels-last --split-input-file | FileCheck %s

// An image of 2 x 4 x 4 that two convolutions read lies as 4 x 4 x 2: its view [2, 4, 4] by permutation [1, 2, 0].
// Weights go from OIHW to HWIO: permutation [2, 3, 1, 0]. One result is flattened for a Gemm with a transposed weight:
// 48 = C 3 * H 4 * W 4 columns of [5, 48] become rows in the order H, W, C: view [5, 3, 4, 4], permutation [2, 3, 1, 0].
// CHECK-LABEL: @model
// CHECK-SAME: %arg0: tensor<?x4x4x2xf32> {party.permutation = array<i64: 1, 2, 0>, party.view = array<i64: 2, 4, 4>}
// CHECK-NOT: party.transpose
func.func @model(%x: tensor<?x2x4x4xf32>, %ids: tensor<?xi32>) -> (tensor<?x5xf32>, tensor<?x3xf32>) {
  // CHECK-DAG: %[[W:.*]] = party.parameter "w" {{.*}} permutation = array<i64: 2, 3, 1, 0>, view = array<i64: 3, 2, 3, 3>} : tensor<3x3x2x3xf32>
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 3, 2, 3, 3>} : tensor<3x2x3x3xf32>
  // CHECK-DAG: %[[V:.*]] = party.parameter "v" {{.*}} permutation = array<i64: 2, 3, 1, 0>, view = array<i64: 5, 3, 4, 4>} : tensor<48x5xf32>
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 5, 48>} : tensor<5x48xf32>
  %t = party.transpose %v {permutation = array<i64: 1, 0>} : (tensor<5x48xf32>) -> tensor<48x5xf32>
  // CHECK: %[[C:.*]] = party.conv %arg0, %[[W]] {channels_last
  %c = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<?x3x4x4xf32>
  // CHECK: %[[F:.*]] = party.reshape %[[C]] : (tensor<?x4x4x3xf32>) -> tensor<?x48xf32>
  %f = party.reshape %c : (tensor<?x3x4x4xf32>) -> tensor<?x48xf32>
  // CHECK: party.matmul %[[F]], %[[V]]
  %y = party.matmul %f, %t : (tensor<?x48xf32>, tensor<48x5xf32>) -> tensor<?x5xf32>
  // The mean's positions have extent 1: flattening it is a reshape, whatever the order.
  // CHECK: %[[D:.*]] = party.conv %arg0, %[[W]] {channels_last
  %d = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<?x3x4x4xf32>
  // CHECK: %[[G:.*]] = party.global_average_pool %[[D]] {channels_last} {{.*}} -> tensor<?x1x1x3xf32>
  %g = party.global_average_pool %d : (tensor<?x3x4x4xf32>) -> tensor<?x3x1x1xf32>
  // CHECK: party.reshape %[[G]] : (tensor<?x1x1x3xf32>) -> tensor<?x3xf32>
  %z = party.reshape %g : (tensor<?x3x1x1xf32>) -> tensor<?x3xf32>
  return %y, %z : tensor<?x5xf32>, tensor<?x3xf32>
}

// -----

// Between spatial ops the transpositions cancel. The index of max-pooling, read by nobody yet, turns with the output.
// CHECK-LABEL: @model
// CHECK: %[[C:.*]] = party.conv
// CHECK-NEXT: %[[P:.*]], %{{.*}} = party.max_pool %[[C]] {channels_last{{.*}} -> (tensor<?x2x2x3xf32>, tensor<?x2x2x3xui8>)
// CHECK-NEXT: %[[B:.*]], %{{.*}}, %{{.*}} = party.batch_norm %[[P]], {{.*}} -> (tensor<?x2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK-NEXT: party.average_pool %[[B]] {channels_last{{.*}} -> tensor<?x1x1x3xf32>
func.func @model(%x: tensor<?x2x4x4xf32>, %ids: tensor<?xi32>) -> tensor<?x3x1x1xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 3, 2, 1, 1>} : tensor<3x2x1x1xf32>
  %s = party.parameter "s" "parameter" {onnx_shape = array<i64: 3>} : tensor<3xf32>
  %m = party.parameter "m" "state" {onnx_shape = array<i64: 3>} : tensor<3xf32>
  %v = party.parameter "v" "state" {onnx_shape = array<i64: 3>} : tensor<3xf32>
  %c = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<?x3x4x4xf32>
  %p:2 = party.max_pool %c {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x4x4xf32>) -> (tensor<?x3x2x2xf32>, tensor<?x3x2x2xui8>)
  %b:3 = party.batch_norm %p#0, %s, %s, %m, %v {epsilon = 1.0e-5 : f64, momentum = 0.9 : f64} : (tensor<?x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  %a = party.average_pool %b#0 {kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x3x2x2xf32>) -> tensor<?x3x1x1xf32>
  return %a : tensor<?x3x1x1xf32>
}

// -----

// A nonlinearity between the flattening and the product sees the elements in ONNX order: the transposition stays, once,
// and the weight as it is.
// CHECK-LABEL: @model
// CHECK: %[[V:.*]] = party.parameter "v" "parameter" {onnx_shape = array<i64: 48, 5>} : tensor<48x5xf32>
// CHECK: %[[C:.*]] = party.conv
// CHECK-NEXT: %[[T:.*]] = party.transpose %[[C]] {permutation = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT: %[[F:.*]] = party.reshape %[[T]]
// CHECK-NEXT: %[[R:.*]] = party.relu %[[F]]
// CHECK-NEXT: party.matmul %[[R]], %[[V]]
func.func @model(%x: tensor<?x2x4x4xf32>, %ids: tensor<?xi32>) -> tensor<?x5xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 3, 2, 1, 1>} : tensor<3x2x1x1xf32>
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 48, 5>} : tensor<48x5xf32>
  %c = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<?x3x4x4xf32>
  %f = party.reshape %c : (tensor<?x3x4x4xf32>) -> tensor<?x48xf32>
  %r = party.relu %f : (tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = party.matmul %r, %v : (tensor<?x48xf32>, tensor<48x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

// A weight that is used in two orders keeps ONNX's.
// CHECK-LABEL: @model
// CHECK: %[[W:.*]] = party.parameter "w" "parameter" {onnx_shape = array<i64: 4, 4>} : tensor<4x4xf32>
// CHECK-NEXT: %[[T:.*]] = party.transpose %[[W]]
// CHECK-NEXT: party.matmul %arg0, %[[W]]
// CHECK-NEXT: party.matmul %{{.*}}, %[[T]]
func.func @model(%x: tensor<?x4xf32>, %ids: tensor<?xi32>) -> tensor<?x4xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4, 4>} : tensor<4x4xf32>
  %t = party.transpose %w {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = party.matmul %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %y = party.matmul %a, %t : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
