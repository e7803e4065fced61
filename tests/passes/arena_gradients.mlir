// RUN: partyline-opt %s --party-arena=micro-batch=4 | FileCheck %s

// What is written into the gradient arena by its own op needs no buffer; what is copied there does. Four samples:
//   g       4 * 16 * 4 = 256   0 to 2
//   b       16 * 4 = 64        2 to 3: independent of the samples
// Together 320.
// CHECK: module attributes {party.activation_bytes = 320 : i64}
// CHECK-LABEL: @forward_backward
func.func @forward_backward(%g: tensor<?x16xf32>) {
  // CHECK: party.sum_to {{.*}} {party.offsets = array<i64: -1>}
  %a = party.sum_to %g : (tensor<?x16xf32>) -> tensor<16xf32>
  // CHECK-NEXT: party.store_gradient %{{.*}} {in_place, name = "a", offset = 0 : i64}
  party.store_gradient %a {in_place, name = "a", offset = 0 : i64} : (tensor<16xf32>) -> ()
  // CHECK: party.sum_to {{.*}} {party.offsets = array<i64: {{[0-9]+}}>}
  %b = party.sum_to %g : (tensor<?x16xf32>) -> tensor<16xf32>
  party.store_gradient %b {name = "b", offset = 16 : i64} : (tensor<16xf32>) -> ()
  return
}
