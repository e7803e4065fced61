// RUN: partyline-opt %s --party-arena=micro-batch=2 | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: partyline-opt %s --party-arena=micro-batch=1 | FileCheck %s --check-prefixes=CHECK,ONE

// Buffers for two samples (one sample), in bytes rounded up to 64, and the ops at which they live; parameters are ops
// 0 and 1 and have no buffer (-1):
//   x       2 * 32 * 4 = 256 (128)   0 to 2
//   ids     2 * 4 -> 64 (64)         0
//   labels  2 * 4 -> 64 (64)         0 to 8
//   a       2 * 64 * 4 = 512 (256)   2 to 7: relu and tanh write over it, the reshapes are views of it
//   y       2 * 16 * 4 = 128 (64)    7 to 9
//   loss    2 * 4 -> 64 (64)         8 to 9
//   prob    128 (64)                 8
// Most lives at op 2: 256 + 64 + 512 = 832 (448). @evaluate needs more, and the two share one arena:
//   a and its sigmoid live together, 512 + 512 = 1024 (512); the product is written over the sigmoid.
// TWO: module attributes {party.activation_bytes = 1024 : i64}
// ONE: module attributes {party.activation_bytes = 512 : i64}
// CHECK-LABEL: @forward_backward
// CHECK-SAME: attributes {party.offsets = array<i64: {{[0-9]+, [0-9]+, [0-9]+}}>}
func.func @forward_backward(%x: tensor<?x32xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x16xf32>) {
  // CHECK: party.parameter "w" {{.*}} party.offsets = array<i64: -1>
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 32, 64>} : tensor<32x64xf32>
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 64, 16>} : tensor<64x16xf32>
  // CHECK: party.matmul {{.*}} {party.offsets = array<i64: [[A:[0-9]+]]>}
  %a = party.matmul %x, %w : (tensor<?x32xf32>, tensor<32x64xf32>) -> tensor<?x64xf32>
  // CHECK: party.relu {{.*}} {party.offsets = array<i64: [[A]]>}
  %r = party.relu %a : (tensor<?x64xf32>) -> tensor<?x64xf32>
  // CHECK: party.reshape {{.*}} {party.offsets = array<i64: [[A]]>}
  %s = party.reshape %r : (tensor<?x64xf32>) -> tensor<?x4x16xf32>
  // CHECK: party.tanh {{.*}} {party.offsets = array<i64: [[A]]>}
  %t = party.tanh %s : (tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  // CHECK: party.reshape {{.*}} {party.offsets = array<i64: [[A]]>}
  %u = party.reshape %t : (tensor<?x4x16xf32>) -> tensor<?x64xf32>
  %y = party.matmul %u, %v : (tensor<?x64xf32>, tensor<64x16xf32>) -> tensor<?x16xf32>
  // CHECK: party.cross_entropy {{.*}} {party.offsets = array<i64: {{[0-9]+, [0-9]+}}>}
  %l:2 = party.cross_entropy %y, %labels : (tensor<?x16xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x16xf32>)
  return %l#0, %y : tensor<?xf32>, tensor<?x16xf32>
}

// CHECK-LABEL: @evaluate
func.func @evaluate(%x: tensor<?x32xf32>, %ids: tensor<?xi32>) -> tensor<?x64xf32> {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 32, 64>} : tensor<32x64xf32>
  %a = party.matmul %x, %w : (tensor<?x32xf32>, tensor<32x64xf32>) -> tensor<?x64xf32>
  // CHECK: party.sigmoid {{.*}} {party.offsets = array<i64: [[B:[0-9]+]]>}
  %b = party.sigmoid %a : (tensor<?x64xf32>) -> tensor<?x64xf32>
  // CHECK: party.multiply {{.*}} {party.offsets = array<i64: [[B]]>}
  %c = party.multiply %a, %b : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}
