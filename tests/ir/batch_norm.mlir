// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Statistics have one value per channel; the input's gradient comes through them.
// CHECK-LABEL: @forms
func.func @forms(%x: tensor<?x5x7x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>) {
  // CHECK: %[[Y:.*]], %[[M:.*]], %[[V:.*]] = party.batch_norm {{.*}} -> (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %y:3 = party.batch_norm %x, %s, %b, %m, %v {channels_last, epsilon = 1.0e-5 : f64, momentum = 0.9 : f64} : (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>)
  // CHECK: party.batch_norm_inference {{.*}} -> tensor<?x5x7x8xf32>
  %i = party.batch_norm_inference %x, %s, %b, %m, %v {epsilon = 1.0e-5 : f64} : (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x5x7x8xf32>
  // CHECK: %[[DS:.*]], %[[DB:.*]] = party.batch_norm_parameter_gradient %arg0, %[[Y]], %[[M]], %[[V]]
  %g:2 = party.batch_norm_parameter_gradient %x, %y#0, %y#1, %y#2 {epsilon = 1.0e-5 : f64} : (tensor<?x5x7x8xf32>, tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  // CHECK: party.batch_norm_input_gradient {{.*}}, %[[DS]], %[[DB]] {{.*}} -> tensor<?x5x7x8xf32>
  %d = party.batch_norm_input_gradient %x, %y#0, %y#1, %y#2, %s, %g#0, %g#1 {epsilon = 1.0e-5 : f64} : (tensor<?x5x7x8xf32>, tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x5x7x8xf32>
  return
}

// -----

func.func @epsilon(%x: tensor<?x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{requires attribute 'epsilon'}}
  %i = party.batch_norm_inference %x, %s, %s, %s, %s : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}
