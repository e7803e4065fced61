// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// numpy's rule from the last dimension on; the batch may meet a missing dimension or 1.
// CHECK-LABEL: @broadcast
func.func @broadcast(%x: tensor<?x8x5x7xf32>, %c: tensor<8x1x1xf32>, %s: tensor<f32>, %g: tensor<?x8x1x1xf32>) {
  // CHECK: party.add {{.*}} -> tensor<?x8x5x7xf32>
  %a = party.add %x, %c : (tensor<?x8x5x7xf32>, tensor<8x1x1xf32>) -> tensor<?x8x5x7xf32>
  // CHECK: party.multiply {{.*}} -> tensor<?x8x5x7xf32>
  %b = party.multiply %g, %x : (tensor<?x8x1x1xf32>, tensor<?x8x5x7xf32>) -> tensor<?x8x5x7xf32>
  // CHECK: party.subtract {{.*}} -> tensor<?x8x5x7xf32>
  %d = party.subtract %s, %x : (tensor<f32>, tensor<?x8x5x7xf32>) -> tensor<?x8x5x7xf32>
  // CHECK: party.sum_to {{.*}} -> tensor<8x1x1xf32>
  %e = party.sum_to %x : (tensor<?x8x5x7xf32>) -> tensor<8x1x1xf32>
  return
}

// -----

func.func @misfit(%x: tensor<?x8xf32>, %y: tensor<7xf32>) {
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.add %x, %y : (tensor<?x8xf32>, tensor<7xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @same_type(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %a = party.relu %x : (tensor<?x8xf32>) -> tensor<?x2x4xf32>
  return
}

// -----

func.func @sample_ids(%x: tensor<?x8xf32>, %ids: tensor<?xf32>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of 32-bit signless integer values}}
  %a = party.dropout %x, %ids {layer = 0 : i64, ratio = 0.5 : f64} : (tensor<?x8xf32>, tensor<?xf32>) -> tensor<?x8xf32>
  return
}
