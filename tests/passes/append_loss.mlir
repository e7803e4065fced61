// RUN: partyline-opt %s --party-append-loss --split-input-file | FileCheck %s
// RUN: not partyline-opt %s --party-append-loss=loss=hinge --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: loss hinge is unknown; it must be cross_entropy, mse or bce

// The labels become the last argument; the loss stands before the output.
// CHECK-LABEL: @model(%arg0: tensor<?x10xf32>, %arg1: tensor<?xi32>, %arg2: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x10xf32>)
func.func @model(%x: tensor<?x10xf32>, %ids: tensor<?xi32>) -> tensor<?x10xf32> {
  // CHECK: %[[Y:.*]] = party.relu
  %y = party.relu %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: %[[L:.*]], %{{.*}} = party.cross_entropy %[[Y]], %arg2
  // CHECK: return %[[L]], %[[Y]]
  return %y : tensor<?x10xf32>
}

// -----

// A trailing Softmax is absorbed by the loss, but stays the output.
// CHECK-LABEL: @model
func.func @model(%x: tensor<?x10xf32>, %ids: tensor<?xi32>) -> tensor<?x10xf32> {
  // CHECK: %[[Y:.*]] = party.softmax %arg0
  %y = party.softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: %[[L:.*]], %{{.*}} = party.cross_entropy %arg0, %arg2
  // CHECK: return %[[L]], %[[Y]]
  return %y : tensor<?x10xf32>
}

// -----

// log softmax(log softmax(x)) = log softmax(x): so is a chain of them.
// CHECK-LABEL: @model
func.func @model(%x: tensor<?x10xf32>, %ids: tensor<?xi32>) -> tensor<?x10xf32> {
  %a = party.log_softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: %[[Y:.*]] = party.softmax
  %y = party.softmax %a : (tensor<?x10xf32>) -> tensor<?x10xf32>
  // CHECK: %[[L:.*]], %{{.*}} = party.cross_entropy %arg0, %arg2
  // CHECK: return %[[L]], %[[Y]]
  return %y : tensor<?x10xf32>
}

// -----

// A model that brings its loss keeps it.
// CHECK-LABEL: @model
func.func @model(%x: tensor<?x10xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x10xf32>) {
  // CHECK: %[[L:.*]] = party.negative_log_likelihood %arg0, %arg2
  %l = party.negative_log_likelihood %x, %labels {ignore_index = 3 : i64} : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
  // CHECK-NEXT: return %[[L]], %arg0
  return %l, %x : tensor<?xf32>, tensor<?x10xf32>
}
