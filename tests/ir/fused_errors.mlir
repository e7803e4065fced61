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

// -----

func.func @read_by_others(%x: tensor<?x8xf32>) -> (tensor<?x16xf32>, tensor<?x8xf32>) {
  %y = party.fused %x : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %0 = party.relu %a : (tensor<?x8xf32>) -> tensor<?x8xf32>
    party.yield %0 : tensor<?x8xf32>
  }
  // expected-error @+1 {{cannot have input 0 in place: it is not only for party.fused}}
  %c = party.concat %y, %x {axis = 1 : i64, in_place = array<i1: true, false>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  return %c, %y : tensor<?x16xf32>, tensor<?x8xf32>
}

// -----

func.func @too_few(%x: tensor<?x8xf32>) -> tensor<?x16xf32> {
  // expected-error @+1 {{must say of each input whether it is in place}}
  %c = party.concat %x, %x {axis = 1 : i64, in_place = array<i1: false>} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  return %c : tensor<?x16xf32>
}

// -----

func.func @outer_dimension(%x: tensor<?x4x8xf32>) -> tensor<?x8x8xf32> {
  // expected-error @+1 {{can have inputs in place only along the innermost dimension}}
  %c = party.concat %x, %x {axis = 1 : i64, in_place = array<i1: false, false>} : (tensor<?x4x8xf32>, tensor<?x4x8xf32>) -> tensor<?x8x8xf32>
  return %c : tensor<?x8x8xf32>
}

// -----

func.func @slice_of_made(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  %y = party.fused %x : (tensor<?x8xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %0 = party.relu %a : (tensor<?x8xf32>) -> tensor<?x8xf32>
    // expected-error @+1 {{takes channels of what is made in the kernel: only those of an operand can be read}}
    %1 = party.slice %0 {starts = array<i64: 0, 4>, extents = array<i64: -9223372036854775808, 4>, steps = array<i64: 1, 1>} : (tensor<?x8xf32>) -> tensor<?x4xf32>
    %2 = party.relu %1 : (tensor<?x4xf32>) -> tensor<?x4xf32>
    party.yield %2 : tensor<?x4xf32>
  }
  return %y : tensor<?x4xf32>
}

// -----

func.func @only_slice(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{ends with party.slice, which computes nothing}}
  %y = party.fused %x : (tensor<?x8xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %0 = party.slice %a {starts = array<i64: 0, 4>, extents = array<i64: -9223372036854775808, 4>, steps = array<i64: 1, 1>} : (tensor<?x8xf32>) -> tensor<?x4xf32>
    party.yield %0 : tensor<?x4xf32>
  }
  return %y : tensor<?x4xf32>
}
