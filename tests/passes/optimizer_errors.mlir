// RUN: partyline-opt %s --party-optimizer --verify-diagnostics

// expected-error @+1 {{the gradient arena is not laid out}}
module {
  func.func @forward_backward(%g: tensor<8xf32>) {
    party.store_gradient %g {name = "b"} : (tensor<8xf32>) -> ()
    return
  }
}
