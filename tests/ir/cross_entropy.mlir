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

func.func @rank(%x: tensor<?x10x4xf32>, %labels: tensor<?xi32>) {
  // expected-error @+2 {{cross-entropy needs scores [batch, classes] and labels [batch]}}
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
  // expected-error @+2 {{cross-entropy needs scores [batch, classes] and labels [batch], not 'tensor<?x10xf32>' and 'tensor<4xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %l:2 = party.cross_entropy %x, %labels : (tensor<?x10xf32>, tensor<4xi32>) -> (tensor<?xf32>, tensor<?x10xf32>)
  return
}

// -----

func.func @gradient(%x: tensor<?x10x4xf32>, %labels: tensor<?xi32>) {
  // expected-error @+2 {{cross-entropy needs scores [batch, classes] and labels [batch]}}
  // expected-error @+1 {{failed to infer returned types}}
  %d = party.cross_entropy_gradient %x, %labels : (tensor<?x10x4xf32>, tensor<?xi32>) -> tensor<?x10x4xf32>
  return
}
