// RUN: partyline-opt %s --party-backward --split-input-file --verify-diagnostics --allow-unregistered-dialect

// The functions that passes work on: party ops on tensors, in one block.
// expected-error @+1 {{has no @forward_backward}}
module {
  func.func private @forward_backward(tensor<?x4xf32>) -> tensor<?xf32>
}

// -----

// expected-error @+1 {{does not return a loss first; run party-append-loss before party-split-phases}}
func.func @forward_backward() {
  return
}

// -----

// What stands first is no loss, though a loss makes it.
// expected-error @+1 {{does not return a loss first}}
func.func @forward_backward(%x: tensor<?x4xf32>, %labels: tensor<?xi32>) -> tensor<?x4xf32> {
  %l:2 = party.cross_entropy %x, %labels : (tensor<?x4xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x4xf32>)
  return %l#1 : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{must take tensors whose first dimension alone is dynamic, not 'i32'}}
func.func @forward_backward(%x: i32) -> i32 {
  return %x : i32
}

// -----

func.func @forward_backward(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{has no place in a training step}}
  %y = "other.op"(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
