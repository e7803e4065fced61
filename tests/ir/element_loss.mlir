// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @losses
func.func @losses(%x: tensor<?x3x4xf32>, %t: tensor<?x3x4xf32>) {
  // CHECK: party.mean_squared_error {{.*}} -> tensor<?xf32>
  %m = party.mean_squared_error %x, %t : (tensor<?x3x4xf32>, tensor<?x3x4xf32>) -> tensor<?xf32>
  // CHECK: party.binary_cross_entropy {{.*}} -> tensor<?xf32>
  %b = party.binary_cross_entropy %x, %t : (tensor<?x3x4xf32>, tensor<?x3x4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @shapes(%x: tensor<?x3x4xf32>, %t: tensor<?x4x3xf32>) {
  // expected-error @+2 {{the loss needs values with a batch, and targets of their type}}
  // expected-error @+1 {{failed to infer returned types}}
  %m = party.mean_squared_error %x, %t : (tensor<?x3x4xf32>, tensor<?x4x3xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @batch(%x: tensor<3x4xf32>) {
  // expected-error @+2 {{the loss needs values with a batch, and targets of their type}}
  // expected-error @+1 {{failed to infer returned types}}
  %b = party.binary_cross_entropy %x, %x : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3xf32>
  return
}
