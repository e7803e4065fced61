// RUN: partyline-opt %s --party-split-phases --split-input-file --verify-diagnostics | FileCheck %s

// Training drops and takes the micro-batch's statistics, which move the running ones: 0.9 of the old per step.
// Evaluation drops nothing and takes the running statistics.
// CHECK-LABEL: @forward_backward
// CHECK-DAG: %[[RM:.*]] = party.parameter "rm" "state"
// CHECK-DAG: %[[RV:.*]] = party.parameter "rv" "state"
// CHECK: %[[Y:.*]], %[[M:.*]], %[[V:.*]] = party.batch_norm %arg0
// CHECK-DAG: party.store_statistic %[[M]] {name = "rm", rate = 9.000000e-01 : f64}
// CHECK-DAG: party.store_statistic %[[V]] {name = "rv", rate = 9.000000e-01 : f64}
// CHECK: party.dropout %[[Y]], %arg1
// CHECK-NOT: party.batch_norm_inference

// CHECK-LABEL: @evaluate
// CHECK-NOT: store_statistic
// CHECK-NOT: dropout
// CHECK-DAG: %[[RM:.*]] = party.parameter "rm" "state"
// CHECK-DAG: %[[RV:.*]] = party.parameter "rv" "state"
// CHECK: %[[Y:.*]] = party.batch_norm_inference %arg0, %{{.*}}, %{{.*}}, %[[RM]], %[[RV]]
// CHECK-NEXT: return %[[Y]]
func.func @model(%x: tensor<?x8xf32>, %ids: tensor<?xi32>) -> tensor<?x8xf32> {
  %s = party.parameter "s" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %b = party.parameter "b" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %m = party.parameter "rm" "state" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %v = party.parameter "rv" "state" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %y:3 = party.batch_norm %x, %s, %b, %m, %v {channels_last, epsilon = 1.0e-5 : f64, momentum = 0.9 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %d = party.dropout %y#0, %ids {layer = 0 : i64, ratio = 0.5 : f64} : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  return %d : tensor<?x8xf32>
}

// -----

// Statistics that are no state (constants here) do not move.
// CHECK-LABEL: @forward_backward
// CHECK: party.batch_norm
// CHECK-NOT: store_statistic
// CHECK-LABEL: @evaluate
func.func @model(%x: tensor<?x8xf32>, %ids: tensor<?xi32>) -> tensor<?x8xf32> {
  %s = party.parameter "s" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %m = party.parameter "m" "constant" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %y:3 = party.batch_norm %x, %s, %s, %m, %m {channels_last, epsilon = 1.0e-5 : f64, momentum = 0.9 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %y#0 : tensor<?x8xf32>
}

// -----

// One running mean cannot follow two layers.
func.func @model(%x: tensor<?x8xf32>, %ids: tensor<?xi32>) -> tensor<?x8xf32> {
  %s = party.parameter "s" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %m = party.parameter "rm" "state" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %v = party.parameter "rv" "state" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %y:3 = party.batch_norm %x, %s, %s, %m, %v {channels_last, epsilon = 1.0e-5 : f64, momentum = 0.9 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>)
  // expected-error @+1 {{shares its running statistics rm with another op}}
  %z:3 = party.batch_norm %y#0, %s, %s, %m, %v {channels_last, epsilon = 1.0e-5 : f64, momentum = 0.9 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %z#0 : tensor<?x8xf32>
}
