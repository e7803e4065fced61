// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @concat
func.func @concat(%x: tensor<?x8x5x7xf32>, %y: tensor<?x3x5x7xf32>, %r: tensor<?x4xf32>) {
  // CHECK: -> tensor<?x11x5x7xf32>
  %a = party.concat %x, %y {axis = 1 : i64} : (tensor<?x8x5x7xf32>, tensor<?x3x5x7xf32>) -> tensor<?x11x5x7xf32>
  // Channels-last, ONNX's axis 2 is the height of NHWC: dimension 1.
  // CHECK: -> tensor<?x16x5x7xf32>
  %b = party.concat %x, %x {axis = 2 : i64, channels_last} : (tensor<?x8x5x7xf32>, tensor<?x8x5x7xf32>) -> tensor<?x16x5x7xf32>
  // Only images are stored channels-last.
  // CHECK: -> tensor<?x8xf32>
  %c = party.concat %r, %r {axis = 1 : i64, channels_last} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @misfit(%x: tensor<?x8x5xf32>, %y: tensor<?x8x4xf32>) {
  // expected-error @+2 {{differ in more than the axis}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.concat %x, %y {axis = 1 : i64} : (tensor<?x8x5xf32>, tensor<?x8x4xf32>) -> tensor<?x16x5xf32>
  return
}

// -----

func.func @ranks(%x: tensor<?x8x5xf32>, %y: tensor<?x8xf32>) {
  // expected-error @+2 {{differ in rank}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.concat %x, %y {axis = 1 : i64} : (tensor<?x8x5xf32>, tensor<?x8xf32>) -> tensor<?x16x5xf32>
  return
}

// -----

func.func @batch(%x: tensor<?x8xf32>) {
  // expected-error @+2 {{the batch cannot be concatenated}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.concat %x, %x {axis = 0 : i64} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @axis(%x: tensor<?x8xf32>) {
  // expected-error @+2 {{axis 2 is none of}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.concat %x, %x {axis = 2 : i64} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @clip(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{has a lower bound that is not below its upper bound}}
  %a = party.clip %x {minimum = 2.0 : f64, maximum = 1.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}
