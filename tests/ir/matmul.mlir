// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @shapes
func.func @shapes(%x: tensor<?x7x12xf32>, %w: tensor<12x5xf32>, %b: tensor<5xf32>) {
  // CHECK: party.matmul {{.*}} -> tensor<?x7x5xf32>
  %y = party.matmul %x, %w, %b : (tensor<?x7x12xf32>, tensor<12x5xf32>, tensor<5xf32>) -> tensor<?x7x5xf32>
  // CHECK: party.matmul_input_gradient {{.*}} -> tensor<?x7x12xf32>
  %dx = party.matmul_input_gradient %y, %w : (tensor<?x7x5xf32>, tensor<12x5xf32>) -> tensor<?x7x12xf32>
  // CHECK: party.matmul_weight_gradient {{.*}} -> tensor<12x5xf32>
  %dw = party.matmul_weight_gradient %x, %y : (tensor<?x7x12xf32>, tensor<?x7x5xf32>) -> tensor<12x5xf32>
  return
}

// -----

func.func @inner(%x: tensor<?x12xf32>, %w: tensor<11x5xf32>) {
  // expected-error @+2 {{the operands of a matrix product do not fit}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.matmul %x, %w : (tensor<?x12xf32>, tensor<11x5xf32>) -> tensor<?x5xf32>
  return
}

// -----

func.func @bias(%x: tensor<?x12xf32>, %w: tensor<12x5xf32>, %b: tensor<1xf32>) {
  // expected-error @+2 {{one value per channel is needed: 'tensor<5xf32>', not 'tensor<1xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.matmul %x, %w, %b : (tensor<?x12xf32>, tensor<12x5xf32>, tensor<1xf32>) -> tensor<?x5xf32>
  return
}

// -----

func.func @batched_weight(%x: tensor<?x12xf32>, %w: tensor<?x12xf32>) {
  // expected-error @+2 {{the operands of a matrix product do not fit}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.matmul %x, %w : (tensor<?x12xf32>, tensor<?x12xf32>) -> tensor<?x12xf32>
  return
}

// -----

func.func @vector(%g: tensor<f32>, %w: tensor<12x5xf32>) {
  // expected-error @+2 {{the operands of a matrix product do not fit}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.matmul_input_gradient %g, %w : (tensor<f32>, tensor<12x5xf32>) -> tensor<12xf32>
  return
}

// -----

func.func @columns(%g: tensor<?x6xf32>, %w: tensor<12x5xf32>) {
  // expected-error @+2 {{the operands of a matrix product do not fit: 'tensor<?x6xf32>' and 'tensor<12x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.matmul_input_gradient %g, %w : (tensor<?x6xf32>, tensor<12x5xf32>) -> tensor<?x12xf32>
  return
}

// -----

func.func @rows(%x: tensor<?x7x12xf32>, %g: tensor<?x8x5xf32>) {
  // expected-error @+2 {{the rows of 'tensor<?x7x12xf32>' are not those of 'tensor<?x8x5xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %y = party.matmul_weight_gradient %x, %g : (tensor<?x7x12xf32>, tensor<?x8x5xf32>) -> tensor<12x5xf32>
  return
}
