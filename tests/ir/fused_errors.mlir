// RUN: partyline-opt %s --split-input-file --verify-diagnostics

func.func @types(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{has a body that takes other types than the operands'}}
  %y = party.fused %x : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x4xf32>):
    %0 = party.relu %a : (tensor<?x4xf32>) -> tensor<?x4xf32>
    party.yield %0 : tensor<?x4xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

func.func @results(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{must yield its results}}
  %y = party.fused %x : (tensor<?x8xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %0 = party.relu %a : (tensor<?x8xf32>) -> tensor<?x8xf32>
    party.yield %0 : tensor<?x8xf32>
  }
  return %y : tensor<?x4xf32>
}

// -----

func.func @nothing(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{must yield the results of the last op}}
  %y = party.fused %x : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    party.yield %a : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

func.func @unlike(%x: tensor<?x4x4x8xf32>) -> tensor<?x1x1x8xf32> {
  %y = party.fused %x : (tensor<?x4x4x8xf32>) -> tensor<?x1x1x8xf32> {
  ^bb0(%a: tensor<?x4x4x8xf32>):
    // expected-error @+1 {{cannot be fused}}
    %0 = party.global_average_pool %a {channels_last} : (tensor<?x4x4x8xf32>) -> tensor<?x1x1x8xf32>
    party.yield %0 : tensor<?x1x1x8xf32>
  }
  return %y : tensor<?x1x1x8xf32>
}

// -----

func.func @sums(%x: tensor<?x8xf32>, %v: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = party.fused %x, %v : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<8xf32>):
    // expected-error @+1 {{sums over rows, and so can only be the last of what is fused}}
    %0:2 = party.batch_norm_parameter_gradient %a, %a, %b, %b {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = party.batch_norm_inference %a, %0#0, %0#1, %b, %b {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    party.yield %1 : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}
