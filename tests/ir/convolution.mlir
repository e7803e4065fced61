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
  // expected-error @+2 {{a window needs a two-dimensional kernel, two strides and dilations, four pads}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<?x8x7x7xf32>
  return
}

// -----

// 4 channels in 2 groups are 2 per group, not 3.
func.func @channels(%x: tensor<?x4x9x9xf32>, %w: tensor<8x3x3x3xf32>) {
  // expected-error @+2 {{a weight for 3 channels cannot make 8 of 4 in 2 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x9x9xf32>, tensor<8x3x3x3xf32>) -> tensor<?x8x7x7xf32>
  return
}

// -----

func.func @groups(%x: tensor<?x4x9x9xf32>, %w: tensor<7x2x3x3xf32>) {
  // expected-error @+2 {{cannot make 7 of 4 in 2 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x9x9xf32>, tensor<7x2x3x3xf32>) -> tensor<?x7x7x7xf32>
  return
}

// -----

func.func @no_groups(%x: tensor<?x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+2 {{in 0 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 0 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<?x8x7x7xf32>
  return
}

// -----

func.func @bias(%x: tensor<?x4x9x9xf32>, %w: tensor<8x4x3x3xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{one value per channel is needed: 'tensor<8xf32>', not 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x9x9xf32>, tensor<8x4x3x3xf32>, tensor<4xf32>) -> tensor<?x8x7x7xf32>
  return
}

// -----

func.func @window(%x: tensor<?x4x2x2xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+2 {{the window is larger than the padded input}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x2x2xf32>, tensor<8x4x3x3xf32>) -> tensor<?x8x1x1xf32>
  return
}

// -----

func.func @strides(%x: tensor<?x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+2 {{the window's kernel, strides and dilations must lie between 1 and 1048576}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 0, 1>} : (tensor<?x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<?x8x7x7xf32>
  return
}

// -----

func.func @negative_pads(%x: tensor<?x4x9x9xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+2 {{the window's pads must lie between 0 and 1048576}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, -1, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x9x9xf32>, tensor<8x4x3x3xf32>) -> tensor<?x8x7x6xf32>
  return
}

// -----

func.func @batched_weight(%x: tensor<?x4x9x9xf32>, %w: tensor<?x4x3x3xf32>) {
  // expected-error @+2 {{a convolution needs a weight of rank 4, not 'tensor<?x4x3x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x4x9x9xf32>, tensor<?x4x3x3xf32>) -> tensor<?x8x7x7xf32>
  return
}

// -----

func.func @input_gradient(%g: tensor<?x7x7x8xf32>, %w: tensor<3x3x4x8xf32>) {
  // expected-error @+1 {{needs the gradient of the convolution's output 'tensor<?x6x6x8xf32>'}}
  %d = party.conv_input_gradient %g, %w {input_shape = array<i64: 8, 8, 4>, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x7x7x8xf32>, tensor<3x3x4x8xf32>) -> tensor<?x8x8x4xf32>
  return
}

// -----

func.func @weight_gradient(%x: tensor<?x9x9x4xf32>, %g: tensor<?x7x7x8xf32>) {
  // expected-error @+1 {{a weight for 3 channels cannot make 8 of 4 in 1 groups}}
  %d = party.conv_weight_gradient %x, %g {weight_shape = array<i64: 3, 3, 3, 8>, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x9x9x4xf32>, tensor<?x7x7x8xf32>) -> tensor<3x3x3x8xf32>
  return
}
