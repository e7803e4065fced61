// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @slice
func.func @slice(%x: tensor<?x8x5x7xf32>) {
  // CHECK: -> tensor<?x2x5x7xf32>
  %a = party.slice %x {starts = array<i64: 0, 6, 0, 0>, extents = array<i64: -9223372036854775808, 2, 5, 7>, steps = array<i64: 1, 1, 1, 1>} : (tensor<?x8x5x7xf32>) -> tensor<?x2x5x7xf32>
  // Channels-last, ONNX's height is dimension 1: rows 1, 4 and 7.
  // CHECK: -> tensor<?x3x5x7xf32>
  %b = party.slice %x {starts = array<i64: 0, 0, 1, 0>, extents = array<i64: -9223372036854775808, 7, 3, 5>, steps = array<i64: 1, 1, 3, 1>, channels_last} : (tensor<?x8x5x7xf32>) -> tensor<?x3x5x7xf32>
  return
}

// CHECK-LABEL: @pad
func.func @pad(%x: tensor<?x8x5xf32>) {
  // 1 + 8 + 2, and 5 with 4 gaps of 2.
  // CHECK: -> tensor<?x11x13xf32>
  %a = party.pad %x {low = array<i64: 0, 1, 0>, high = array<i64: 0, 2, 0>, interior = array<i64: 0, 0, 2>, value = 0.5 : f64} : (tensor<?x8x5xf32>) -> tensor<?x11x13xf32>
  return
}

// -----

func.func @beyond(%x: tensor<?x8xf32>) {
  // expected-error @+2 {{3 elements from 4 in steps of 2 are not in dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.slice %x {starts = array<i64: 0, 4>, extents = array<i64: -9223372036854775808, 3>, steps = array<i64: 1, 2>} : (tensor<?x8xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @batch(%x: tensor<?x8xf32>) {
  // expected-error @+2 {{the batch cannot be padded}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.pad %x {low = array<i64: 1, 0>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>, value = 0.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @rank(%x: tensor<?x8xf32>) {
  // expected-error @+2 {{needs a start, an extent and a step for every dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.slice %x {starts = array<i64: 0>, extents = array<i64: 8>, steps = array<i64: 1>} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}
