// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// Layout and offset survive the round trip.
// CHECK-LABEL: @kinds
func.func @kinds() -> tensor<3x3x4x8xf32> {
  // CHECK: party.parameter "w" "parameter" {offset = 16 : i64, onnx_shape = array<i64: 8, 4, 3, 3>, permutation = array<i64: 2, 3, 1, 0>, view = array<i64: 8, 4, 3, 3>} : tensor<3x3x4x8xf32>
  %w = party.parameter "w" "parameter" {offset = 16 : i64, onnx_shape = array<i64: 8, 4, 3, 3>, permutation = array<i64: 2, 3, 1, 0>, view = array<i64: 8, 4, 3, 3>} : tensor<3x3x4x8xf32>
  // CHECK: party.parameter "mean" "state"
  %m = party.parameter "mean" "state" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  // CHECK: party.parameter "eps" "constant" {{.*}} : tensor<f32>
  %e = party.parameter "eps" "constant" {onnx_shape = array<i64>} : tensor<f32>
  return %w : tensor<3x3x4x8xf32>
}

// -----

func.func @kind() {
  // expected-error @+1 {{kind must be parameter, state or constant}}
  %w = party.parameter "w" "weight" {onnx_shape = array<i64: 4>} : tensor<4xf32>
  return
}

// -----

func.func @batch() {
  // expected-error @+1 {{must have a static shape}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4>} : tensor<?xf32>
  return
}

// -----

func.func @view_alone() {
  // expected-error @+1 {{view and permutation belong together}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4>, view = array<i64: 2, 2>} : tensor<4xf32>
  return
}

// -----

func.func @lengths() {
  // expected-error @+1 {{permutation is none of the dimensions of view}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4>, view = array<i64: 2, 2>, permutation = array<i64: 0>} : tensor<4xf32>
  return
}

// -----

func.func @element_type() {
  // expected-error @+1 {{must be ranked tensor (no extent 0, only the first dynamic) of 32-bit float values}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4>} : tensor<4xf64>
  return
}

// -----

func.func @twice() {
  // expected-error @+1 {{permutation is none of the dimensions of view}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4>, view = array<i64: 2, 2>, permutation = array<i64: 0, 0>} : tensor<4xf32>
  return
}

// -----

func.func @outside() {
  // expected-error @+1 {{permutation is none of the dimensions of view}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4>, view = array<i64: 2, 2>, permutation = array<i64: 0, -7>} : tensor<4xf32>
  return
}

// -----

func.func @onnx_shape() {
  // expected-error @+1 {{onnx_shape has not as many elements as 'tensor<4xf32>'}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 5>} : tensor<4xf32>
  return
}

// -----

func.func @negative() {
  // expected-error @+1 {{onnx_shape has not as many elements as 'tensor<4xf32>'}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: -2, -2>} : tensor<4xf32>
  return
}

// -----

// 2^32 * 2^32 overflows to 0.
func.func @overflow() {
  // expected-error @+1 {{onnx_shape has not as many elements as}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4294967296, 4294967296>} : tensor<4xf32>
  return
}

// -----

func.func @view() {
  // expected-error @+1 {{view has not as many elements as 'tensor<4xf32>'}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4>, view = array<i64: 2, 3>, permutation = array<i64: 1, 0>} : tensor<4xf32>
  return
}
