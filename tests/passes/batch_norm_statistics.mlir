// RUN: partyline-opt %s --party-split-phases=statistics=torch | FileCheck %s --check-prefixes=CHECK,TORCH
// RUN: partyline-opt %s --party-split-phases=statistics=frozen | FileCheck %s --check-prefixes=CHECK,FROZEN
// RUN: partyline-opt %s --party-split-phases=statistics=frozen --party-backward | FileCheck %s --check-prefix=BACKWARD
// RUN: not partyline-opt %s --party-split-phases=statistics=none 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: statistics none are unknown; they must be train, torch or frozen

// By PyTorch's rule the variance of 5 x 7 values a sample becomes unbiased where it is stored. Frozen, the statistics are
// constants that normalise in training too, and dropout stays.
// CHECK-LABEL: @forward_backward
// TORCH-DAG: party.parameter "rm" "state"
// TORCH: %[[Y:.*]], %[[M:.*]], %[[V:.*]] = party.batch_norm %{{.*}}
// TORCH-DAG: party.store_statistic %[[M]] {name = "rm", rate = 9.000000e-01 : f64}
// TORCH-DAG: party.store_statistic %[[V]] {name = "rv", rate = 9.000000e-01 : f64, variance_of = 35 : i64}
// FROZEN-DAG: %[[RM:.*]] = party.parameter "rm" "constant"
// FROZEN-DAG: %[[RV:.*]] = party.parameter "rv" "constant"
// FROZEN-NOT: party.store_statistic
// FROZEN: %[[Y:.*]] = party.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}}, %[[RM]], %[[RV]]
// FROZEN-NOT: party.store_statistic
// CHECK: party.dropout %[[Y]], %arg1
// CHECK-LABEL: @evaluate
// CHECK-NOT: party.dropout
// CHECK: party.batch_norm_inference
// CHECK-NOT: party.dropout

// Scale and bias are trained, the input's gradient knows nothing of statistics that follow it.
// BACKWARD-LABEL: @forward_backward
// BACKWARD-DAG: %[[S:.*]] = party.parameter "s" "parameter"
// BACKWARD-DAG: %[[RM:.*]] = party.parameter "rm" "constant"
// BACKWARD-DAG: %[[RV:.*]] = party.parameter "rv" "constant"
// BACKWARD: %[[DS:.*]], %[[DB:.*]] = party.batch_norm_parameter_gradient %[[X:.*]], %[[DY:.*]], %[[RM]], %[[RV]]
// BACKWARD-DAG: party.store_gradient %[[DS]] {name = "s"}
// BACKWARD-DAG: party.store_gradient %[[DB]] {name = "b"}
// BACKWARD: party.batch_norm_inference_gradient %[[DY]], %[[RV]], %[[S]]
// BACKWARD-NOT: party.batch_norm_input_gradient
func.func @model(%x: tensor<?x5x7x8xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x280xf32>) {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %s = party.parameter "s" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %b = party.parameter "b" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %m = party.parameter "rm" "state" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %v = party.parameter "rv" "state" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %a = party.multiply %x, %w : (tensor<?x5x7x8xf32>, tensor<8xf32>) -> tensor<?x5x7x8xf32>
  %y:3 = party.batch_norm %a, %s, %b, %m, %v {channels_last, epsilon = 1.0e-5 : f64, momentum = 0.9 : f64} : (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %d = party.dropout %y#0, %ids {layer = 0 : i64, ratio = 0.5 : f64} : (tensor<?x5x7x8xf32>, tensor<?xi32>) -> tensor<?x5x7x8xf32>
  %f = party.reshape %d : (tensor<?x5x7x8xf32>) -> tensor<?x280xf32>
  %l:2 = party.cross_entropy %f, %labels : (tensor<?x280xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x280xf32>)
  return %l#0, %f : tensor<?xf32>, tensor<?x280xf32>
}
