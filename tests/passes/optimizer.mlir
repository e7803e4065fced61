// RUN: partyline-opt %s --party-optimizer | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: partyline-opt %s --party-optimizer="momentum=0.9 weight-decay=0.0001" | FileCheck %s --check-prefixes=CHECK,HEAVY
// RUN: partyline-opt %s --party-optimizer="optimizer=adamw weight-decay=0.01 beta1=0.8" | FileCheck %s --check-prefixes=CHECK,ADAMW
// RUN: not partyline-opt %s --party-optimizer=optimizer=rprop 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: optimizer rprop is unknown; it must be sgd, adamw or lars

// Neighbours with one rule share an op: [0, 48) are parameters, [48, 80) move with rate 0.9, [80, 96) with 0.75.
// Padding belongs to the tensor before it. Without momentum no buffer is kept.
// PLAIN: party.optimizer_slots = []
// HEAVY: party.optimizer_slots = ["momentum"]
// ADAMW: party.optimizer_slots = ["first_moment", "second_moment"]
// CHECK-LABEL: @update
// PLAIN-NEXT: party.sgd {first = 0 : i64, last = 48 : i64, momentum = 0.000000e+00 : f64, weight_decay = 0.000000e+00 : f64}
// HEAVY-NEXT: party.sgd {first = 0 : i64, last = 48 : i64, momentum = 9.000000e-01 : f64, weight_decay = 1.000000e-04 : f64}
// ADAMW-NEXT: party.adamw {beta1 = 8.000000e-01 : f64, beta2 = {{.*}} : f64, epsilon = 1.000000e-08 : f64, first = 0 : i64, last = 48 : i64, weight_decay = 1.000000e-02 : f64}
// CHECK-NEXT: party.moving_average {first = 48 : i64, last = 80 : i64, rate = 9.000000e-01 : f64}
// CHECK-NEXT: party.moving_average {first = 80 : i64, last = 96 : i64, rate = 7.500000e-01 : f64}
// CHECK-NEXT: return
module attributes {party.gradient_elements = 96 : i64, party.weight_elements = 112 : i64} {
  func.func @forward_backward(%g: tensor<8xf32>, %h: tensor<20xf32>) {
    party.store_statistic %g {name = "m2", offset = 80 : i64, rate = 0.75 : f64} : (tensor<8xf32>) -> ()
    party.store_gradient %h {name = "w", offset = 16 : i64} : (tensor<20xf32>) -> ()
    party.store_statistic %g {name = "m", offset = 48 : i64, rate = 0.9 : f64} : (tensor<8xf32>) -> ()
    party.store_gradient %g {name = "b", offset = 0 : i64} : (tensor<8xf32>) -> ()
    party.store_statistic %g {name = "v", offset = 64 : i64, rate = 0.9 : f64} : (tensor<8xf32>) -> ()
    return
  }
}
