// RUN: partyline-opt %s --party-order --split-input-file | FileCheck %s

// Weight gradients stand at the end; each moves up to right behind what it needs, with its store.
// CHECK-LABEL: @forward_backward
// CHECK: %[[D:.*]] = party.cross_entropy_gradient
// CHECK-NEXT: %[[DV:.*]] = party.matmul_weight_gradient %{{.*}}, %[[D]]
// CHECK-NEXT: party.store_gradient %[[DV]] {name = "v"}
// CHECK-NEXT: %[[DH:.*]] = party.matmul_input_gradient %[[D]]
// CHECK-NEXT: %[[DW:.*]] = party.matmul_weight_gradient %arg0, %[[DH]]
// CHECK-NEXT: party.store_gradient %[[DW]] {name = "w"}
// CHECK-NEXT: return
func.func @forward_backward(%x: tensor<?x8xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x8xf32>) {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 8, 8>} : tensor<8x8xf32>
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 8, 8>} : tensor<8x8xf32>
  %h = party.matmul %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %y = party.matmul %h, %v : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %l:2 = party.cross_entropy %y, %labels : (tensor<?x8xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x8xf32>)
  %d = party.cross_entropy_gradient %l#1, %labels : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  %dh = party.matmul_input_gradient %d, %v : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %dw = party.matmul_weight_gradient %x, %dh : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<8x8xf32>
  party.store_gradient %dw {name = "w"} : (tensor<8x8xf32>) -> ()
  %dv = party.matmul_weight_gradient %h, %d : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<8x8xf32>
  party.store_gradient %dv {name = "v"} : (tensor<8x8xf32>) -> ()
  return %l#0, %y : tensor<?xf32>, tensor<?x8xf32>
}

// -----

// As written, p and q (256 elements per sample each) live together. One after the other, each shrunk to four elements
// before the other is made, only one of them does.
// CHECK-LABEL: @forward_backward
// CHECK: %[[P:.*]] = party.matmul %arg0, %[[W:.*]] : (tensor<?x4xf32>
// CHECK: %[[SP:.*]] = party.matmul %[[P]], %{{.*}} -> tensor<?x4xf32>
// CHECK: %[[Q:.*]] = party.matmul %arg0, %[[W2:.*]] : (tensor<?x4xf32>
// CHECK: %[[SQ:.*]] = party.matmul %[[Q]], %{{.*}} -> tensor<?x4xf32>
// CHECK: party.add %[[SP]], %[[SQ]]
func.func @forward_backward(%x: tensor<?x4xf32>, %ids: tensor<?xi32>) -> tensor<?x4xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4, 256>} : tensor<4x256xf32>
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 4, 256>} : tensor<4x256xf32>
  %u = party.parameter "u" "parameter" {onnx_shape = array<i64: 256, 4>} : tensor<256x4xf32>
  %p = party.matmul %x, %w : (tensor<?x4xf32>, tensor<4x256xf32>) -> tensor<?x256xf32>
  %q = party.matmul %x, %v : (tensor<?x4xf32>, tensor<4x256xf32>) -> tensor<?x256xf32>
  %sp = party.matmul %p, %u : (tensor<?x256xf32>, tensor<256x4xf32>) -> tensor<?x4xf32>
  %sq = party.matmul %q, %u : (tensor<?x256xf32>, tensor<256x4xf32>) -> tensor<?x4xf32>
  %y = party.add %sp, %sq : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
