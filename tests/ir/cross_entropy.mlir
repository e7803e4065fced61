// RUN: partyline-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @loss
func.func @loss(%x: tensor<?x10xf32>, %labels: tensor<?xi32>) {
  // CHECK: %{{.*}}, %[[P:.*]] = party.cross_entropy {{.*}} -> (tensor<?xf32>, tensor<?x10xf32>)
  %l:2 = party.cross_entropy %x, %labels : (tensor<?x10xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x10xf32>)
  // CHECK: party.cross_entropy_gradient %[[P]], %arg1 {{.*}} -> tensor<?x10xf32>
  %d = party.cross_entropy_gradient %l#1, %labels : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?x10xf32>
  return
}

// -----

// A label for every row, weights for every class.
// CHECK-LABEL: @rows
func.func @rows(%x: tensor<?x4x10xf32>, %labels: tensor<?x4xi32>, %w: tensor<10xf32>) {
  // CHECK: -> (tensor<?x4xf32>, tensor<?x4x10xf32>)
  %l:2 = party.cross_entropy %x, %labels, %w {ignore_index = -1 : i64, reduction = "sum"} : (tensor<?x4x10xf32>, tensor<?x4xi32>, tensor<10xf32>) -> (tensor<?x4xf32>, tensor<?x4x10xf32>)
  // CHECK: party.negative_log_likelihood {{.*}} -> tensor<?x4xf32>
  %n = party.negative_log_likelihood %x, %labels, %w : (tensor<?x4x10xf32>, tensor<?x4xi32>, tensor<10xf32>) -> tensor<?x4xf32>
  // CHECK: party.negative_log_likelihood_gradient {{.*}} -> tensor<?x4x10xf32>
  %d = party.negative_log_likelihood_gradient %labels, %w {classes = 10 : i64} : (tensor<?x4xi32>, tensor<10xf32>) -> tensor<?x4x10xf32>
  return
}

// -----

func.func @weights(%x: tensor<?x10xf32>, %labels: tensor<?xi32>, %w: tensor<9xf32>) {
  // expected-error @+2 {{the loss needs one weight for every class of 'tensor<?x10xf32>', not 'tensor<9xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %l:2 = party.cross_entropy %x, %labels, %w : (tensor<?x10xf32>, tensor<?xi32>, tensor<9xf32>) -> (tensor<?xf32>, tensor<?x10xf32>)
  return
}

// -----

func.func @smoothed(%x: tensor<?x10xf32>, %labels: tensor<?xi32>) {
  // expected-error @+1 {{has label smoothing, and class weights or an ignore_index: it cannot have both}}
  %l:2 = party.cross_entropy %x, %labels {ignore_index = 0 : i64, label_smoothing = 0.1} : (tensor<?x10xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x10xf32>)
  return
}

// -----

func.func @reduction(%x: tensor<?x10xf32>, %labels: tensor<?xi32>) {
  // expected-error @+1 {{has the reduction 'median'; it must be mean, none or sum}}
  %n = party.negative_log_likelihood %x, %labels {reduction = "median"} : (tensor<?x10xf32>, tensor<?xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @rank(%x: tensor<?x10x4xf32>, %labels: tensor<?xi32>) {
  // expected-error @+2 {{the loss needs scores [batch, ..., classes] and labels [batch, ...]}}
  // expected-error @+1 {{failed to infer returned types}}
  %l:2 = party.cross_entropy %x, %labels : (tensor<?x10x4xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x10x4xf32>)
  return
}

// -----

func.func @labels(%x: tensor<?x10xf32>, %labels: tensor<?xi64>) {
  // expected-error @+1 {{operand #1 must be ranked tensor (no extent 0, only the first dynamic) of 32-bit signless integer values}}
  %l:2 = party.cross_entropy %x, %labels : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?x10xf32>)
  return
}

// -----

func.func @fewer_labels(%x: tensor<?x10xf32>, %labels: tensor<4xi32>) {
  // expected-error @+2 {{the loss needs scores [batch, ..., classes] and labels [batch, ...], not 'tensor<?x10xf32>' and 'tensor<4xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %l:2 = party.cross_entropy %x, %labels : (tensor<?x10xf32>, tensor<4xi32>) -> (tensor<?xf32>, tensor<?x10xf32>)
  return
}

// -----

func.func @gradient(%x: tensor<?x10x4xf32>, %labels: tensor<?xi32>) {
  // expected-error @+2 {{the loss needs scores [batch, ..., classes] and labels [batch, ...]}}
  // expected-error @+1 {{failed to infer returned types}}
  %d = party.cross_entropy_gradient %x, %labels : (tensor<?x10x4xf32>, tensor<?xi32>) -> tensor<?x10x4xf32>
  return
}
