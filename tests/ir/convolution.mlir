// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// NCHW: height (9 + 1 + 1 - 3) / 2 + 1 = 5, width (12 + 0 + 1 - 3) / 2 + 1 = 6; two groups of two input channels.
// CHECK-LABEL: @nchw
func.func @nchw(%x: tensor<?x4x9x12xf32>, %w: tensor<8x2x3x3xf32>, %b: tensor<8xf32>) -> tensor<?x8x5x6xf32> {
  // CHECK: party.conv {{.*}} -> tensor<?x8x5x6xf32>
  %y = party.conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 1, 0, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x4x9x12xf32>, tensor<8x2x3x3xf32>, tensor<8xf32>) -> tensor<?x8x5x6xf32>
  return %y : tensor<?x8x5x6xf32>
}

// -----

// Channels-last, dilation 2: the window spans (3 - 1) * 2 + 1 = 5 elements: 9 - 5 + 1 = 5 and 12 - 5 + 1 = 8. Gradients
// have the shapes of what they are gradients of.
// CHECK-LABEL: @channels_last
func.func @channels_last(%x: tensor<?x9x12x4xf32>, %w: tensor<3x3x4x8xf32>) {
  // CHECK: party.conv {{.*}} -> tensor<?x5x8x8xf32>
  %y = party.conv %x, %w {channels_last, dilations = array<i64: 2, 2>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x9x12x4xf32>, tensor<3x3x4x8xf32>) -> tensor<?x5x8x8xf32>
  // CHECK: party.conv_input_gradient {{.*}} -> tensor<?x9x12x4xf32>
  %dx = party.conv_input_gradient %y, %w {dilations = array<i64: 2, 2>, groups = 1 : i64, input_shape = array<i64: 9, 12, 4>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x5x8x8xf32>, tensor<3x3x4x8xf32>) -> tensor<?x9x12x4xf32>
  // CHECK: party.conv_weight_gradient {{.*}} -> tensor<3x3x4x8xf32>
  %dw = party.conv_weight_gradient %x, %y {dilations = array<i64: 2, 2>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, weight_shape = array<i64: 3, 3, 4, 8>} : (tensor<?x9x12x4xf32>, tensor<?x5x8x8xf32>) -> tensor<3x3x4x8xf32>
  return
}

// -----

func.func @pads(%x: tensor<?x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+2 {{a convolution needs rank 4, two strides, two dilations and four pads}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<?x8x7x7xf32>
  return
}
