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
  // expected-error @+2 {{'tensor<?x8xf32>' and 'tensor<7xf32>' do not broadcast}}
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
  // expected-error @+1 {{operand #1 must be ranked tensor (no extent 0, only the first dynamic) of 32-bit signless integer values}}
  %a = party.dropout %x, %ids {layer = 0 : i64, ratio = 0.5 : f64} : (tensor<?x8xf32>, tensor<?xf32>) -> tensor<?x8xf32>
  return
}

// -----

// Only the first dimension is the batch.
func.func @second_dynamic(%x: tensor<4x?xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor (no extent 0, only the first dynamic) of 32-bit float values}}
  %a = party.relu %x : (tensor<4x?xf32>) -> tensor<4x?xf32>
  return
}

// -----

func.func @empty(%x: tensor<?x0xf32>) {
  // expected-error @+1 {{no extent 0}}
  %a = party.relu %x : (tensor<?x0xf32>) -> tensor<?x0xf32>
  return
}

// -----

func.func @ratio(%x: tensor<?x8xf32>, %ids: tensor<?xi32>) {
  // expected-error @+1 {{ratio must be at least 0 and below 1}}
  %a = party.dropout %x, %ids {layer = 0 : i64, ratio = 1.0 : f64} : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @ids(%x: tensor<?x8xf32>, %ids: tensor<8xi32>) {
  // expected-error @+1 {{needs one sample id for every sample: 'tensor<?x8xf32>' has not as many as 'tensor<8xi32>'}}
  %a = party.dropout %x, %ids {layer = 0 : i64, ratio = 0.5 : f64} : (tensor<?x8xf32>, tensor<8xi32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @scalar_rows(%x: tensor<f32>) {
  // expected-error @+1 {{needs a dimension behind the batch, not 'tensor<f32>'}}
  %a = party.softmax %x : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @batch_rows(%x: tensor<?xf32>) {
  // expected-error @+1 {{needs a dimension behind the batch, not 'tensor<?xf32>'}}
  %a = party.log_softmax_gradient %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @sum(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{cannot sum 'tensor<?x8xf32>' to 'tensor<4xf32>', which does not broadcast to it}}
  %a = party.sum_to %x : (tensor<?x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sum_up(%x: tensor<8xf32>) {
  // expected-error @+1 {{cannot sum 'tensor<8xf32>' to 'tensor<2x8xf32>'}}
  %a = party.negate_sum %x : (tensor<8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// Summed, kept, summed, kept, summed: the kernels go to four of these.
func.func @turns(%x: tensor<?x2x3x4x5xf32>) {
  // expected-error @+1 {{too many dimensions broadcast in turn}}
  %a = party.sum_to %x : (tensor<?x2x3x4x5xf32>) -> tensor<2x1x4x1xf32>
  return
}

// -----

// CHECK-LABEL: @three_operands
func.func @three_operands(%x: tensor<?x8x5xf32>, %c: tensor<8x1xf32>, %r: tensor<1x5xf32>) {
  // CHECK: party.where {{.*}} -> tensor<?x8x5xf32>
  %a = party.where %c, %r, %x : (tensor<8x1xf32>, tensor<1x5xf32>, tensor<?x8x5xf32>) -> tensor<?x8x5xf32>
  // CHECK: party.where {{.*}} -> tensor<8x5xf32>
  %b = party.where %c, %r, %c : (tensor<8x1xf32>, tensor<1x5xf32>, tensor<8x1xf32>) -> tensor<8x5xf32>
  // CHECK: party.prelu {{.*}} -> tensor<?x8x5xf32>
  %d = party.prelu %x, %c : (tensor<?x8x5xf32>, tensor<8x1xf32>) -> tensor<?x8x5xf32>
  // CHECK: party.broadcast_to {{.*}} -> tensor<?x8x5xf32>
  %e = party.broadcast_to %r : (tensor<1x5xf32>) -> tensor<?x8x5xf32>
  return
}

// -----

func.func @third_misfit(%x: tensor<?x8xf32>, %y: tensor<7xf32>) {
  // expected-error @+2 {{'tensor<?x8xf32>' and 'tensor<7xf32>' do not broadcast}}
  // expected-error @+1 {{failed to infer returned types}}
  %a = party.where %x, %x, %y : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<7xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @slope(%x: tensor<8x1xf32>, %s: tensor<8x5xf32>) {
  // expected-error @+1 {{has a slope, 'tensor<8x5xf32>', that does not broadcast to 'tensor<8x1xf32>'}}
  %a = party.prelu %x, %s : (tensor<8x1xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @repeat(%x: tensor<?x8x5xf32>) {
  // expected-error @+1 {{cannot broadcast 'tensor<?x8x5xf32>' to 'tensor<?x8x1xf32>'}}
  %a = party.broadcast_to %x : (tensor<?x8x5xf32>) -> tensor<?x8x1xf32>
  return
}
