// RUN: partyline-opt %s --party-gradient-arena | FileCheck %s

// In place means that nothing else needs the value and that its op makes nothing else.
// CHECK-LABEL: @forward_backward
func.func @forward_backward(%x: tensor<?x4xf32>, %g: tensor<?x4xf32>, %m: tensor<4xf32>) -> tensor<4xf32> {
  // Used by another op as well.
  // CHECK: party.store_gradient %{{.*}} {name = "a", offset = 0 : i64}
  %a = party.sum_to %g : (tensor<?x4xf32>) -> tensor<4xf32>
  party.store_gradient %a {name = "a"} : (tensor<4xf32>) -> ()
  %r = party.relu %a : (tensor<4xf32>) -> tensor<4xf32>
  // One gradient, two parameters.
  // CHECK: party.store_gradient %{{.*}} {name = "b", offset = 16 : i64}
  // CHECK: party.store_gradient %{{.*}} {name = "c", offset = 32 : i64}
  %b = party.sum_to %x : (tensor<?x4xf32>) -> tensor<4xf32>
  party.store_gradient %b {name = "b"} : (tensor<4xf32>) -> ()
  party.store_gradient %b {name = "c"} : (tensor<4xf32>) -> ()
  // Two results.
  // CHECK: party.store_gradient %{{.*}} {name = "d", offset = 48 : i64}
  // CHECK: party.store_gradient %{{.*}} {name = "e", offset = 64 : i64}
  %d:2 = party.batch_norm_parameter_gradient %x, %g, %m, %m {epsilon = 1.0e-5 : f64} : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  party.store_gradient %d#0 {name = "d"} : (tensor<4xf32>) -> ()
  party.store_gradient %d#1 {name = "e"} : (tensor<4xf32>) -> ()
  // A view of a weight's gradient.
  // CHECK: party.store_gradient %{{.*}} {name = "f", offset = 80 : i64}
  %f = party.sum_to %x : (tensor<?x4xf32>) -> tensor<4xf32>
  %v = party.reshape %f : (tensor<4xf32>) -> tensor<4x1xf32>
  party.store_gradient %v {name = "f"} : (tensor<4x1xf32>) -> ()
  return %r : tensor<4xf32>
}
