// RUN: partyline-opt %s --party-gradient-arena --verify-diagnostics

// One name, two sizes.
func.func @forward_backward(%g: tensor<8xf32>) {
  // expected-error @+1 {{has 4 elements, another op of this name 8}}
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4>} : tensor<4xf32>
  party.store_gradient %g {name = "w"} : (tensor<8xf32>) -> ()
  return
}
