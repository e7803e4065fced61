// RUN: partyline-opt %s --party-backward --verify-diagnostics

// An op between the weights and the loss that has no gradient is named.
func.func @forward_backward(%x: tensor<?x4xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x4xf32>) {
  %s = party.parameter "s" "parameter" {onnx_shape = array<i64: 4>} : tensor<4xf32>
  %m = party.multiply %x, %s : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // expected-error @+1 {{has no gradient}}
  %a = party.relu_gradient %m, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %l:2 = party.cross_entropy %a, %labels : (tensor<?x4xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x4xf32>)
  return %l#0, %a : tensor<?xf32>, tensor<?x4xf32>
}
