// RUN: partyline-opt %s --party-append-loss=loss=mse --split-input-file | FileCheck %s --check-prefixes=CHECK,MSE
// RUN: partyline-opt %s --party-append-loss=loss=bce --split-input-file | FileCheck %s --check-prefixes=CHECK,BCE

// The targets have the output's shape.
// CHECK-LABEL: @model(%arg0: tensor<?x3x4xf32>, %arg1: tensor<?xi32>, %arg2: tensor<?x3x4xf32>) -> (tensor<?xf32>, tensor<?x3x4xf32>)
func.func @model(%x: tensor<?x3x4xf32>, %ids: tensor<?xi32>) -> tensor<?x3x4xf32> {
  // MSE: %[[L:.*]] = party.mean_squared_error %arg0, %arg2
  // BCE: %[[L:.*]] = party.binary_cross_entropy %arg0, %arg2
  // CHECK: return %[[L]], %arg0
  return %x : tensor<?x3x4xf32>
}

// -----

// One Sigmoid is absorbed by binary cross-entropy, but stays the output; a second one is a layer like another.
// CHECK-LABEL: @model
func.func @model(%x: tensor<?x1xf32>, %ids: tensor<?xi32>) -> tensor<?x1xf32> {
  // CHECK: %[[X:.*]] = party.sigmoid %arg0
  %a = party.sigmoid %x : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // CHECK: %[[Y:.*]] = party.sigmoid %[[X]]
  %y = party.sigmoid %a : (tensor<?x1xf32>) -> tensor<?x1xf32>
  // MSE: %[[L:.*]] = party.mean_squared_error %[[Y]], %arg2
  // BCE: %[[L:.*]] = party.binary_cross_entropy %[[X]], %arg2
  // CHECK: return %[[L]], %[[Y]]
  return %y : tensor<?x1xf32>
}
