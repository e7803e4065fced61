// RUN: partyline-opt %s --canonicalize --cse | FileCheck %s

// Stores and updates have effects: neither is dead, and two alike are still two. What is not stored is dead.
// CHECK-LABEL: @stores
func.func @stores(%g: tensor<8xf32>) {
  // CHECK-NEXT: party.store_gradient %arg0 {in_place, name = "w", offset = 32 : i64} : (tensor<8xf32>) -> ()
  party.store_gradient %g {in_place, name = "w", offset = 32 : i64} : (tensor<8xf32>) -> ()
  // CHECK-NEXT: party.store_gradient %arg0 {name = "v"}
  party.store_gradient %g {name = "v"} : (tensor<8xf32>) -> ()
  // CHECK-NEXT: party.store_gradient %arg0 {name = "v"}
  party.store_gradient %g {name = "v"} : (tensor<8xf32>) -> ()
  %dead = party.relu %g : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: party.store_statistic %arg0 {name = "mean", rate = 9.000000e-01 : f64}
  party.store_statistic %g {name = "mean", rate = 0.9 : f64} : (tensor<8xf32>) -> ()
  // CHECK-NEXT: return
  return
}

// CHECK-LABEL: @update
func.func @update() {
  // CHECK-NEXT: party.sgd {first = 0 : i64, last = 16 : i64, momentum = 9.000000e-01 : f64, weight_decay = 1.000000e-04 : f64}
  party.sgd {first = 0 : i64, last = 16 : i64, momentum = 0.9 : f64, weight_decay = 1.0e-4 : f64}
  // CHECK-NEXT: party.moving_average {first = 16 : i64, last = 32 : i64, rate = 9.000000e-01 : f64}
  party.moving_average {first = 16 : i64, last = 32 : i64, rate = 0.9 : f64}
  // CHECK-NEXT: return
  return
}
