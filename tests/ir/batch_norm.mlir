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

// -----

func.func @negative_epsilon(%x: tensor<?x5x7x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{epsilon must be a number that is not negative}}
  %i = party.batch_norm_inference %x, %s, %s, %s, %s {epsilon = -1.0e-5 : f64} : (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x5x7x8xf32>
  return
}

// -----

func.func @no_number(%x: tensor<?x5x7x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{epsilon must be a number that is not negative}}
  %i = party.batch_norm_inference %x, %s, %s, %s, %s {epsilon = 0x7FF8000000000000 : f64} : (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x5x7x8xf32>
  return
}

// -----

func.func @momentum(%x: tensor<?x5x7x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{momentum must lie between 0 and 1}}
  %i:3 = party.batch_norm %x, %s, %s, %s, %s {channels_last, epsilon = 1.0e-5 : f64, momentum = 1.5 : f64} : (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

// NCHW: the channels are the second dimension.
func.func @channels(%x: tensor<?x5x7x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{one value per channel is needed: 'tensor<5xf32>', not 'tensor<8xf32>'}}
  %i:3 = party.batch_norm %x, %s, %s, %s, %s {epsilon = 1.0e-5 : f64, momentum = 0.9 : f64} : (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x5x7x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @gradient(%x: tensor<?x5x7x8xf32>, %g: tensor<?x5x5x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{needs an output gradient of the input's type 'tensor<?x5x7x8xf32>'}}
  %i:2 = party.batch_norm_parameter_gradient %x, %g, %s, %s {epsilon = 1.0e-5 : f64} : (tensor<?x5x7x8xf32>, tensor<?x5x5x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @vectors(%x: tensor<?x8xf32>, %s: tensor<8xf32>, %t: tensor<7xf32>) {
  // expected-error @+1 {{one value per channel is needed: 'tensor<8xf32>', not 'tensor<7xf32>'}}
  %i = party.batch_norm_input_gradient %x, %x, %s, %s, %s, %s, %t {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<7xf32>) -> tensor<?x8xf32>
  return
}
