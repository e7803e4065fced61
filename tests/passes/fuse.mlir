// RUN: partyline-opt %s --party-fuse --split-input-file | FileCheck %s

// batch_norm is its statistics and a normalisation, which the activation behind it takes in. Backward, both readers of
// the activation's gradient compute it themselves, and the activation from x, which they read anyway: y, dz and the
// activation's gradient are not in memory.
// CHECK-LABEL: @forward_backward
// CHECK: %[[MEAN:.*]], %[[VARIANCE:.*]] = party.batch_norm_statistics %[[X:.*]] :
// CHECK: %[[Y:.*]] = party.fused %[[X]], %{{.*}}, %{{.*}}, %[[MEAN]], %[[VARIANCE]] :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[NORMALISED:.*]] = party.batch_norm_inference
// CHECK-NEXT: %[[ACTIVE:.*]] = party.relu %[[NORMALISED]]
// CHECK-NEXT: party.yield %[[ACTIVE]]
// CHECK: %[[DY:.*]] = party.matmul_input_gradient
// CHECK: %[[SUMS:.*]]:2 = party.fused
// CHECK-SAME: %[[DY]]
// CHECK: party.batch_norm_inference
// CHECK-NEXT: party.relu
// CHECK-NEXT: %[[DZ:.*]] = party.relu_gradient
// CHECK-NEXT: %{{.*}}, %{{.*}} = party.batch_norm_parameter_gradient %{{.*}}, %[[DZ]]
// CHECK: %[[DX:.*]] = party.fused
// CHECK: party.relu_gradient
// CHECK-NEXT: party.batch_norm_input_gradient
// CHECK-NOT: = party.relu_gradient
func.func @forward_backward(%x: tensor<?x8xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x8xf32>) {
  %scale = party.parameter "scale" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %bias = party.parameter "bias" "parameter" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %rm = party.parameter "rm" "state" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %rv = party.parameter "rv" "state" {onnx_shape = array<i64: 8>} : tensor<8xf32>
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 8, 8>} : tensor<8x8xf32>
  %h = party.matmul %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %n, %mean, %variance = party.batch_norm %h, %scale, %bias, %rm, %rv {channels_last, epsilon = 1.0e-5 : f64, momentum = 0.9 : f64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>)
  party.store_statistic %mean {name = "rm", rate = 0.9 : f64} : (tensor<8xf32>) -> ()
  party.store_statistic %variance {name = "rv", rate = 0.9 : f64} : (tensor<8xf32>) -> ()
  %y = party.relu %n : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %z = party.matmul %y, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %l:2 = party.cross_entropy %z, %labels : (tensor<?x8xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x8xf32>)
  %d = party.cross_entropy_gradient %l#1, %labels : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  %dy = party.matmul_input_gradient %d, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %dn = party.relu_gradient %y, %dy : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %ds:2 = party.batch_norm_parameter_gradient %h, %dn, %mean, %variance {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  party.store_gradient %ds#0 {name = "scale"} : (tensor<8xf32>) -> ()
  party.store_gradient %ds#1 {name = "bias"} : (tensor<8xf32>) -> ()
  %dh = party.batch_norm_input_gradient %h, %dn, %mean, %variance, %scale, %ds#0, %ds#1 {epsilon = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %dw = party.matmul_weight_gradient %x, %dh : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<8x8xf32>
  party.store_gradient %dw {name = "w"} : (tensor<8x8xf32>) -> ()
  return %l#0, %z : tensor<?xf32>, tensor<?x8xf32>
}

// -----

// A sum of three that others read, too: each of them would read two tensors instead of one, so it stays.
// CHECK-LABEL: @evaluate
// CHECK: %[[SUM:.*]] = party.add %{{.*}}, %{{.*}} :
// CHECK-NOT: party.fused
// CHECK: party.relu %[[SUM]]
// CHECK: party.tanh %[[SUM]]
// CHECK: party.exp %[[SUM]]
// CHECK: party.matmul %[[SUM]]
func.func @evaluate(%x: tensor<?x8xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x8xf32>) {
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 8, 8>} : tensor<8x8xf32>
  %a = party.matmul %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %sum = party.add %x, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = party.relu %sum : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %q = party.tanh %sum : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = party.exp %sum : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = party.matmul %sum, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %p1 = party.matmul %p, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %q1 = party.matmul %q, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %r1 = party.matmul %r, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %pq = party.concat %p1, %q1 {axis = 1 : i64} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %rm = party.concat %r1, %m {axis = 1 : i64} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %l:2 = party.cross_entropy %m, %labels : (tensor<?x8xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x8xf32>)
  return %l#0, %m : tensor<?xf32>, tensor<?x8xf32>
}

// -----

// What a concatenation along the channels takes is made in its place, and what the gradients of its inputs take from
// its gradient is read there: no copies. A part that others read, too, is copied.
// CHECK-LABEL: @forward_backward
// CHECK: %[[P:.*]] = party.fused %[[A:.*]] : (tensor<?x8xf32>) -> tensor<?x8xf32> {
// CHECK: party.relu
// CHECK: %[[C:.*]] = party.concat %[[P]], %[[A]] {axis = 1 : i64, in_place = array<i1: true, false>}
// CHECK: %[[DC:.*]] = party.matmul_input_gradient
// CHECK-NOT: = party.slice %[[DC]] {extents = array<i64: -9223372036854775808, 8>, starts = array<i64: 0, 0>
// CHECK: %[[DP:.*]] = party.fused %[[DC]], %[[P]] :
// CHECK: %[[PART:.*]] = party.slice %{{.*}} {{.*}}starts = array<i64: 0, 0>
// CHECK-NEXT: party.relu_gradient %{{.*}}, %[[PART]]
// CHECK: party.matmul_weight_gradient %{{.*}}, %[[DP]]
func.func @forward_backward(%x: tensor<?x8xf32>, %ids: tensor<?xi32>, %labels: tensor<?xi32>) -> (tensor<?xf32>, tensor<?x16xf32>) {
  %v = party.parameter "v" "parameter" {onnx_shape = array<i64: 8, 8>} : tensor<8x8xf32>
  %w = party.parameter "w" "parameter" {onnx_shape = array<i64: 16, 16>} : tensor<16x16xf32>
  %a = party.matmul %x, %v : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %p = party.relu %a : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %c = party.concat %p, %a {axis = 1 : i64} : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %z = party.matmul %c, %w : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  %l:2 = party.cross_entropy %z, %labels : (tensor<?x16xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x16xf32>)
  %d = party.cross_entropy_gradient %l#1, %labels : (tensor<?x16xf32>, tensor<?xi32>) -> tensor<?x16xf32>
  %dc = party.matmul_input_gradient %d, %w : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  %s = party.slice %dc {starts = array<i64: 0, 0>, extents = array<i64: -9223372036854775808, 8>, steps = array<i64: 1, 1>} : (tensor<?x16xf32>) -> tensor<?x8xf32>
  %dp = party.relu_gradient %p, %s : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %dv = party.matmul_weight_gradient %x, %dp : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<8x8xf32>
  party.store_gradient %dv {name = "v"} : (tensor<8x8xf32>) -> ()
  %dw = party.matmul_weight_gradient %c, %d : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<16x16xf32>
  party.store_gradient %dw {name = "w"} : (tensor<16x16xf32>) -> ()
  return %l#0, %z : tensor<?xf32>, tensor<?x16xf32>
}
