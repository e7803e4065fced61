// RUN: partyline-opt %s --party-append-loss --split-input-file --verify-diagnostics

// expected-error @+1 {{cross_entropy needs an output of shape [batch, classes], this model's is 'tensor<?x10x1x1xf32>'}}
func.func @model(%x: tensor<?x10x1x1xf32>, %ids: tensor<?xi32>) -> tensor<?x10x1x1xf32> {
  return %x : tensor<?x10x1x1xf32>
}

// -----

// A fixed first dimension is no batch.
// expected-error @+1 {{cross_entropy needs an output of shape [batch, classes], this model's is 'tensor<4x10xf32>'}}
func.func @model(%x: tensor<4x10xf32>, %ids: tensor<?xi32>) -> tensor<4x10xf32> {
  return %x : tensor<4x10xf32>
}
