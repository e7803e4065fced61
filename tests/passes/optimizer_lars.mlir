// RUN: partyline-opt %s --party-optimizer="optimizer=lars momentum=0.9 weight-decay=0.0001 trust=0.01" | FileCheck %s

// Each tensor of two dimensions or more has an op of its own, with the number of its elements: padding has no norm.
// Vectors share one, plain SGD without weight decay.
// CHECK: party.optimizer_slots = ["momentum"]
// CHECK-LABEL: @update
// CHECK-NEXT: party.sgd {first = 0 : i64, last = 32 : i64, momentum = 9.000000e-01 : f64, weight_decay = 0.000000e+00 : f64}
// CHECK-NEXT: party.lars {elements = 20 : i64, first = 32 : i64, last = 64 : i64, momentum = 9.000000e-01 : f64, trust = 1.000000e-02 : f64, weight_decay = 1.000000e-04 : f64}
// CHECK-NEXT: party.lars {elements = 20 : i64, first = 64 : i64, last = 96 : i64, momentum = 9.000000e-01 : f64, trust = 1.000000e-02 : f64, weight_decay = 1.000000e-04 : f64}
// CHECK-NEXT: party.sgd {first = 96 : i64, last = 112 : i64, momentum = 9.000000e-01 : f64, weight_decay = 0.000000e+00 : f64}
// CHECK-NEXT: party.moving_average {first = 112 : i64, last = 128 : i64, rate = 9.000000e-01 : f64}
// CHECK-NEXT: return
module attributes {party.gradient_elements = 128 : i64, party.weight_elements = 128 : i64} {
  func.func @forward_backward(%g: tensor<8xf32>, %h: tensor<4x5xf32>) {
    %a = party.parameter "a" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
    %b = party.parameter "b" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
    %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 4, 5>} : tensor<4x5xf32>
    %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 5, 2, 2>} : tensor<4x5xf32>
    %c = party.parameter "c" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
    party.store_gradient %g {name = "a", offset = 0 : i64} : (tensor<8xf32>) -> ()
    party.store_gradient %g {name = "b", offset = 16 : i64} : (tensor<8xf32>) -> ()
    party.store_gradient %h {name = "v", offset = 32 : i64} : (tensor<4x5xf32>) -> ()
    party.store_gradient %h {name = "w", offset = 64 : i64} : (tensor<4x5xf32>) -> ()
    party.store_gradient %g {name = "c", offset = 96 : i64} : (tensor<8xf32>) -> ()
    party.store_statistic %g {name = "m", offset = 112 : i64, rate = 0.9 : f64} : (tensor<8xf32>) -> ()
    return
  }
}
