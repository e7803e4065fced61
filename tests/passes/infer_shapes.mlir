// RUN: partyline-opt %s --party-infer-shapes | FileCheck %s

// Types that follow from the operands stay, those that are given stay, in every function.
// CHECK-LABEL: @model
// CHECK-SAME: -> tensor<?x5xf32>
func.func @model(%x: tensor<?x3x4xf32>, %ids: tensor<?xi32>) -> tensor<?x5xf32> {
  // CHECK: party.reshape {{.*}} -> tensor<?x12xf32>
  %f = party.reshape %x : (tensor<?x3x4xf32>) -> tensor<?x12xf32>
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 12, 5>} : tensor<12x5xf32>
  // CHECK: party.matmul {{.*}} -> tensor<?x5xf32>
  %y = party.matmul %f, %w : (tensor<?x12xf32>, tensor<12x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// CHECK-LABEL: @evaluate
// CHECK-SAME: -> tensor<?x3x4xf32>
func.func @evaluate(%x: tensor<?x3x4xf32>) -> tensor<?x3x4xf32> {
  // CHECK: party.tanh {{.*}} -> tensor<?x3x4xf32>
  %y = party.tanh %x : (tensor<?x3x4xf32>) -> tensor<?x3x4xf32>
  return %y : tensor<?x3x4xf32>
}
