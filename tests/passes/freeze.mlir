// RUN: partyline-opt %s --party-freeze="patterns=features.*,head.bias" | FileCheck %s
// RUN: not partyline-opt %s --party-freeze="patterns=body.*" 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not partyline-opt %s --party-freeze="patterns=*" 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not partyline-opt %s --party-freeze='patterns=a\' 2>&1 | FileCheck %s --check-prefix=PATTERN
// RUN: partyline-opt %s --party-freeze="patterns=features.*" --party-append-loss --party-split-phases --party-backward | FileCheck %s --check-prefix=BACKWARD

// NOTHING: error: freeze: no trained parameter is named like 'body.*'; they are features.weight, head.bias, head.weight
// ALL: error: freeze: nothing is left to train
// PATTERN: error: freeze: 'a{{.}}' is no pattern

// CHECK: party.frozen_parameters = 2
// Backward stores the head's gradients alone; that of the first product is not even computed.
// BACKWARD-LABEL: @forward_backward
// BACKWARD-NOT: store_gradient {{.*}}features
// BACKWARD-COUNT-2: party.store_gradient {{.*}}head
// BACKWARD-NOT: store_gradient
func.func @model(%x: tensor<?x4xf32>, %ids: tensor<?xi32>) -> tensor<?x2xf32> {
  // CHECK: party.parameter "features.weight" "constant"
  %a = party.parameter "features.weight" "parameter" {onnx_shape = array<i64: 4, 3>} : tensor<4x3xf32>
  // CHECK: party.parameter "head.weight" "parameter"
  %b = party.parameter "head.weight" "parameter" {onnx_shape = array<i64: 3, 2>} : tensor<3x2xf32>
  // CHECK: party.parameter "head.bias" "constant"
  %c = party.parameter "head.bias" "parameter" {onnx_shape = array<i64: 2>} : tensor<2xf32>
  %h = party.matmul %x, %a : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %y = party.matmul %h, %b, %c : (tensor<?x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
