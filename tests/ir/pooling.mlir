// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// (8 - 3) / 2 + 1 = 3 with floor, ceil(5 / 2) + 1 = 4 with ceil_mode: the last window begins at 6 < 8.
// CHECK-LABEL: @ceil
func.func @ceil(%x: tensor<?x2x8x8xf32>) {
  // CHECK: party.average_pool {{.*}} -> tensor<?x2x3x3xf32>
  %a = party.average_pool %x {kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x2x8x8xf32>) -> tensor<?x2x3x3xf32>
  // CHECK: party.average_pool {{.*}} -> tensor<?x2x4x4xf32>
  %b = party.average_pool %x {ceil_mode, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x2x8x8xf32>) -> tensor<?x2x4x4xf32>
  return
}

// -----

// A last window that would begin in the padding behind the input is none: ceil((4 + 1 + 1 - 2) / 3) + 1 = 3, but
// window 2 would begin at 2 * 3 = 6 >= 4 + 1.
// CHECK-LABEL: @ceil_in_padding
func.func @ceil_in_padding(%x: tensor<?x2x4x4xf32>) {
  // CHECK: party.average_pool {{.*}} -> tensor<?x2x2x2xf32>
  %a = party.average_pool %x {ceil_mode, kernel = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 3, 3>} : (tensor<?x2x4x4xf32>) -> tensor<?x2x2x2xf32>
  return
}

// -----

// Positions in a window of 16 * 16 = 256 fit eight bits, those of 16 * 17 = 272 do not.
// CHECK-LABEL: @index
func.func @index(%x: tensor<?x16x17x3xf32>) {
  // CHECK: party.max_pool {{.*}} -> (tensor<?x1x2x3xf32>, tensor<?x1x2x3xui8>)
  %a:2 = party.max_pool %x {channels_last, dilations = array<i64: 1, 1>, kernel = array<i64: 16, 16>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x16x17x3xf32>) -> (tensor<?x1x2x3xf32>, tensor<?x1x2x3xui8>)
  // CHECK: party.max_pool {{.*}} -> (tensor<?x1x1x3xf32>, tensor<?x1x1x3xui16>)
  %b:2 = party.max_pool %x {channels_last, dilations = array<i64: 1, 1>, kernel = array<i64: 16, 17>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x16x17x3xf32>) -> (tensor<?x1x1x3xf32>, tensor<?x1x1x3xui16>)
  return
}

// -----

// CHECK-LABEL: @global
func.func @global(%x: tensor<?x8x5x7xf32>, %y: tensor<?x5x7x8xf32>) {
  // CHECK: party.global_average_pool {{.*}} -> tensor<?x8x1x1xf32>
  %a = party.global_average_pool %x : (tensor<?x8x5x7xf32>) -> tensor<?x8x1x1xf32>
  // CHECK: party.global_average_pool {{.*}} -> tensor<?x1x1x8xf32>
  %b = party.global_average_pool %y {channels_last} : (tensor<?x5x7x8xf32>) -> tensor<?x1x1x8xf32>
  return
}

// -----

func.func @window(%x: tensor<?x2x4x4xf32>) {
  // expected-error @+2 {{the window is larger than the padded input}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.average_pool %x {kernel = array<i64: 5, 5>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>) -> tensor<?x2x1x1xf32>
  return
}

// -----

func.func @spatial(%x: tensor<?x8xf32>) {
  // expected-error @+2 {{global pooling needs spatial dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.global_average_pool %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

// The first window would cover rows -2 and -1.
func.func @padding(%x: tensor<?x2x4x4xf32>) {
  // expected-error @+2 {{a pooling window would lie in the padding alone: pads must be smaller than the kernel}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.average_pool %x {kernel = array<i64: 2, 2>, pads = array<i64: 2, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>) -> tensor<?x2x5x3xf32>
  return
}

// -----

// Dilation 3: the only window covers columns -1 and 2 of 2.
func.func @dilated_padding(%x: tensor<?x2x4x2xf32>) {
  // expected-error @+2 {{a pooling window would lie in the padding alone}}
  // expected-error @+1 {{failed to infer returned types}}
  %a:2 = party.max_pool %x {dilations = array<i64: 1, 3>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 1, 0, 1>, strides = array<i64: 1, 1>} : (tensor<?x2x4x2xf32>) -> (tensor<?x2x3x1xf32>, tensor<?x2x3x1xui8>)
  return
}

// -----

func.func @pads(%x: tensor<?x2x4x4xf32>) {
  // expected-error @+2 {{a window needs a two-dimensional kernel, two strides and dilations, four pads}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.average_pool %x {kernel = array<i64: 2, 2>, pads = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4x4xf32>) -> tensor<?x2x3x3xf32>
  return
}

// -----

func.func @rank(%x: tensor<?x2x4xf32>) {
  // expected-error @+2 {{a window needs an input of rank 4, not 'tensor<?x2x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.average_pool %x {kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x2x4xf32>) -> tensor<?x2x3xf32>
  return
}

// -----

func.func @large(%x: tensor<?x512x512x1xf32>) {
  // expected-error @+2 {{the window is too large: its positions do not fit 16 bits}}
  // expected-error @+1 {{failed to infer returned types}}
  %a:2 = party.max_pool %x {channels_last, dilations = array<i64: 1, 1>, kernel = array<i64: 512, 512>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<?x512x512x1xf32>) -> (tensor<?x1x1x1xf32>, tensor<?x1x1x1xui16>)
  return
}

// -----

// Of 5 rows, windows of 2 by 2 make 2, with ceil_mode 3.
func.func @gradients(%f: tensor<?x2x2x3xf32>, %c: tensor<?x3x3x3xf32>, %o: tensor<?x4x4x3xf32>) {
  %a = party.average_pool_gradient %f {input_shape = array<i64: 5, 5, 3>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x2x2x3xf32>) -> tensor<?x5x5x3xf32>
  %b = party.average_pool_gradient %c {input_shape = array<i64: 5, 5, 3>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x3x3x3xf32>) -> tensor<?x5x5x3xf32>
  // expected-error @+1 {{needs the gradient of the pooled 'tensor<?x2x2x3xf32>', not 'tensor<?x4x4x3xf32>'}}
  %d = party.average_pool_gradient %o {input_shape = array<i64: 5, 5, 3>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x4x4x3xf32>) -> tensor<?x5x5x3xf32>
  return
}

// -----

func.func @index(%g: tensor<?x2x2x3xf32>, %i: tensor<?x2x2x3xui16>) {
  // expected-error @+1 {{needs an index of type 'tensor<?x2x2x3xui8>'}}
  %a = party.max_pool_gradient %g, %i {dilations = array<i64: 1, 1>, input_shape = array<i64: 5, 5, 3>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<?x2x2x3xf32>, tensor<?x2x2x3xui16>) -> tensor<?x5x5x3xf32>
  return
}

// -----

func.func @mean(%g: tensor<?x1x2x8xf32>) {
  // expected-error @+1 {{needs the gradient of a mean [batch, 1..., channels]}}
  %a = party.global_average_pool_gradient %g {input_shape = array<i64: 5, 7, 8>} : (tensor<?x1x2x8xf32>) -> tensor<?x5x7x8xf32>
  return
}
