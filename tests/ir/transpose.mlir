// RUN: partyline-opt %s --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// There and back again.
// CHECK-LABEL: @cancel
func.func @cancel(%x: tensor<?x2x5x7xf32>) -> tensor<?x2x5x7xf32> {
  %a = party.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x2x5x7xf32>) -> tensor<?x5x7x2xf32>
  %b = party.transpose %a {permutation = array<i64: 0, 3, 1, 2>} : (tensor<?x5x7x2xf32>) -> tensor<?x2x5x7xf32>
  // CHECK-NEXT: return %arg0
  return %b : tensor<?x2x5x7xf32>
}

// -----

// a = x[0,2,3,1], b = a[0,2,1,3]: dimension i of b is dimension [0,2,3,1][[0,2,1,3][i]] of x: 0, 3, 2, 1.
// CHECK-LABEL: @compose
func.func @compose(%x: tensor<?x2x5x7xf32>) -> tensor<?x7x5x2xf32> {
  %a = party.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x2x5x7xf32>) -> tensor<?x5x7x2xf32>
  // CHECK-NEXT: party.transpose %arg0 {permutation = array<i64: 0, 3, 2, 1>} : (tensor<?x2x5x7xf32>) -> tensor<?x7x5x2xf32>
  %b = party.transpose %a {permutation = array<i64: 0, 2, 1, 3>} : (tensor<?x5x7x2xf32>) -> tensor<?x7x5x2xf32>
  return %b : tensor<?x7x5x2xf32>
}

// -----

// Only dimensions of extent 1 move: a reshape.
// CHECK-LABEL: @ones
func.func @ones(%x: tensor<?x1x1x8xf32>) -> tensor<?x8x1x1xf32> {
  // CHECK-NEXT: party.reshape %arg0 : (tensor<?x1x1x8xf32>) -> tensor<?x8x1x1xf32>
  %a = party.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<?x1x1x8xf32>) -> tensor<?x8x1x1xf32>
  return %a : tensor<?x8x1x1xf32>
}

// -----

func.func @result(%x: tensor<?x2x5xf32>) -> tensor<?x2x5xf32> {
  // expected-error @+2 {{inferred type(s) 'tensor<?x5x2xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<?x2x5xf32>) -> tensor<?x2x5xf32>
  return %a : tensor<?x2x5xf32>
}

// -----

func.func @twice(%x: tensor<?x2x5xf32>) -> tensor<?x2x2xf32> {
  // expected-error @+2 {{permutation is none of the dimensions of 'tensor<?x2x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.transpose %x {permutation = array<i64: 0, 1, 1>} : (tensor<?x2x5xf32>) -> tensor<?x2x2xf32>
  return %a : tensor<?x2x2xf32>
}

// -----

func.func @batch(%x: tensor<?x2x2xf32>) {
  // expected-error @+2 {{the batch must stay the first dimension}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<?x2x2xf32>) -> tensor<2x2x2xf32>
  return
}

// -----

func.func @outside(%x: tensor<?x2x5xf32>) -> tensor<?x5x2xf32> {
  // expected-error @+2 {{permutation is none of the dimensions of 'tensor<?x2x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.transpose %x {permutation = array<i64: 0, 13, 1>} : (tensor<?x2x5xf32>) -> tensor<?x5x2xf32>
  return %a : tensor<?x5x2xf32>
}
