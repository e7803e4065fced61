// RUN: partyline-opt %s | partyline-opt | FileCheck %s

// CHECK-LABEL: @normalise
// CHECK: party.fused %arg0, %arg1
// CHECK: party.batch_norm_inference_gradient
// CHECK-NEXT: party.relu
// CHECK-NEXT: party.yield
func.func @normalise(%x: tensor<?x4x8xf32>, %v: tensor<8xf32>) -> tensor<?x4x8xf32> {
  %y = party.fused %x, %v : (tensor<?x4x8xf32>, tensor<8xf32>) -> tensor<?x4x8xf32> {
  ^bb0(%a: tensor<?x4x8xf32>, %b: tensor<8xf32>):
    %0 = party.batch_norm_inference_gradient %a, %b, %b {epsilon = 1.0e-5 : f64} : (tensor<?x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x4x8xf32>
    %1 = party.relu %0 : (tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
    party.yield %1 : tensor<?x4x8xf32>
  }
  return %y : tensor<?x4x8xf32>
}
