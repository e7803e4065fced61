// RUN: partyline-opt %s --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// reshape(reshape(x)) is one reshape; back to the first shape, it is none.
// CHECK-LABEL: @merge
func.func @merge(%x: tensor<?x2x6xf32>) -> (tensor<?x3x4xf32>, tensor<?x2x6xf32>) {
  %a = party.reshape %x : (tensor<?x2x6xf32>) -> tensor<?x12xf32>
  // CHECK-NEXT: %[[B:.*]] = party.reshape %arg0 : (tensor<?x2x6xf32>) -> tensor<?x3x4xf32>
  %b = party.reshape %a : (tensor<?x12xf32>) -> tensor<?x3x4xf32>
  %c = party.reshape %a : (tensor<?x12xf32>) -> tensor<?x2x6xf32>
  // CHECK-NEXT: return %[[B]], %arg0
  return %b, %c : tensor<?x3x4xf32>, tensor<?x2x6xf32>
}

// -----

// 2 * 6 = 12 elements per sample are not 13.
func.func @count(%x: tensor<?x2x6xf32>) -> tensor<?x13xf32> {
  // expected-error @+1 {{changes the number of elements}}
  %a = party.reshape %x : (tensor<?x2x6xf32>) -> tensor<?x13xf32>
  return %a : tensor<?x13xf32>
}

// -----

// As many elements, but no batch any more.
func.func @batch(%x: tensor<?x12xf32>) -> tensor<12xf32> {
  // expected-error @+1 {{changes the number of elements}}
  %a = party.reshape %x : (tensor<?x12xf32>) -> tensor<12xf32>
  return %a : tensor<12xf32>
}
