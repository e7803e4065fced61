// RUN: partyline-opt %s --party-gradient-arena | FileCheck %s

// Every tensor begins at a multiple of 16 elements, in the order of the stores, not of the parameters; then the
// statistic, although its store stands first; then what is not trained, in the weight arena only.
//   name  elements  rounded up  offset
//   b     5         16          0
//   w     20        32          16
//   v     17        32          48
//   m     4         16          80       gradient elements: 96
//   c     3         16          96
//   e     1         16          112      weight elements: 128
// CHECK: module attributes {party.gradient_elements = 96 : i64, party.weight_elements = 128 : i64}
// CHECK-LABEL: @forward_backward
func.func @forward_backward(%x: tensor<?x4xf32>, %g: tensor<?x5xf32>, %m: tensor<4xf32>, %u: tensor<17xf32>) {
  // CHECK-DAG: party.parameter "c" "constant" {offset = 96 : i64
  %c = party.parameter "c" "constant" {onnx_shape = array<i64: 3>} : tensor<3xf32>
  // CHECK-DAG: party.parameter "m" "state" {offset = 80 : i64
  %s = party.parameter "m" "state" {onnx_shape = array<i64: 4>} : tensor<4xf32>
  // CHECK-DAG: party.parameter "v" "parameter" {offset = 48 : i64
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 17>} : tensor<17xf32>
  // CHECK-DAG: party.parameter "w" "parameter" {offset = 16 : i64
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4, 5>} : tensor<4x5xf32>
  // CHECK-DAG: party.parameter "b" "parameter" {offset = 0 : i64
  %b = party.parameter "b" "parameter" {onnx_shape = array<i64: 5>} : tensor<5xf32>
  // CHECK: party.store_statistic %arg2 {name = "m", offset = 80 : i64
  party.store_statistic %m {name = "m", rate = 0.9 : f64} : (tensor<4xf32>) -> ()
  // CHECK: party.store_gradient %{{.*}} {in_place, name = "b", offset = 0 : i64}
  %db = party.sum_to %g : (tensor<?x5xf32>) -> tensor<5xf32>
  party.store_gradient %db {name = "b"} : (tensor<5xf32>) -> ()
  // CHECK: party.store_gradient %{{.*}} {in_place, name = "w", offset = 16 : i64}
  %dw = party.matmul_weight_gradient %x, %g : (tensor<?x4xf32>, tensor<?x5xf32>) -> tensor<4x5xf32>
  party.store_gradient %dw {name = "w"} : (tensor<4x5xf32>) -> ()
  // An addition cannot add to what is there: it keeps a buffer of its own, and the store copies.
  // CHECK: party.store_gradient %{{.*}} {name = "v", offset = 48 : i64}
  %dv = party.add %u, %u : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xf32>
  party.store_gradient %dv {name = "v"} : (tensor<17xf32>) -> ()
  return
}

// Both phases see the same weights; one that only evaluation uses has a place, too.
// CHECK-LABEL: @evaluate
func.func @evaluate() {
  // CHECK: party.parameter "w" "parameter" {offset = 16 : i64
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 4, 5>} : tensor<4x5xf32>
  // CHECK: party.parameter "e" "constant" {offset = 112 : i64
  %e = party.parameter "e" "constant" {onnx_shape = array<i64>} : tensor<f32>
  return
}
