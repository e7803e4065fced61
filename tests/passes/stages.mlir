// RUN: partyline model lenet --input 1x8x8 --classes 10 -o %t.onnx
// RUN: partyline plan %t.onnx --compile-to import > %t.import.mlir
// RUN: partyline-opt %t.import.mlir --party-append-loss --party-channels-last --party-split-phases --party-backward --party-order --party-gradient-arena --party-optimizer --party-arena -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// A stage that was printed can be started from. A pass that has run, or whose stage has not come, says so.
// CHECK: party.activation_bytes
// CHECK: @evaluate
// CHECK: @update

// RUN: not partyline-opt %t.import.mlir --party-split-phases --party-backward 2>&1 | FileCheck %s --check-prefix=LOSS
// LOSS: does not return a loss first; run party-append-loss before party-split-phases

// RUN: not partyline-opt %t.import.mlir --party-append-loss --party-append-loss=loss=mse 2>&1 | FileCheck %s --check-prefix=LOSSES
// LOSSES: ends in a loss of its own; leave out --loss and --label-smoothing

// RUN: not partyline-opt %t.import.mlir --party-append-loss --party-backward 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not partyline-opt %t.import.mlir --party-order 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not partyline-opt %t.import.mlir --party-gradient-arena 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not partyline-opt %t.import.mlir --party-optimizer 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not partyline-opt %t.import.mlir --party-arena 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: has no @forward_backward; run party-split-phases first

// RUN: not partyline-opt %t.mlir --party-append-loss 2>&1 | FileCheck %s --check-prefix=IMPORT
// RUN: not partyline-opt %t.mlir --party-channels-last 2>&1 | FileCheck %s --check-prefix=IMPORT
// RUN: not partyline-opt %t.mlir --party-split-phases 2>&1 | FileCheck %s --check-prefix=IMPORT
// IMPORT: has no @model; import a model first

// RUN: not partyline-opt %t.mlir --party-backward 2>&1 | FileCheck %s --check-prefix=GRADIENTS
// GRADIENTS: has its gradients already

// RUN: not partyline-opt %t.mlir --party-optimizer 2>&1 | FileCheck %s --check-prefix=UPDATE
// UPDATE: redefinition of symbol named 'update'

// RUN: partyline plan %t.onnx --compile-to loss > %t.loss.mlir
// RUN: not partyline-opt %t.loss.mlir --party-split-phases --party-gradient-arena 2>&1 | FileCheck %s --check-prefix=STORES
// STORES: stores no gradient; run party-backward first

// RUN: partyline plan %t.onnx --compile-to backward > %t.backward.mlir
// RUN: not partyline-opt %t.backward.mlir --party-optimizer 2>&1 | FileCheck %s --check-prefix=PLACES
// PLACES: the gradient arena is not laid out; run party-gradient-arena first
// RUN: not partyline-opt %t.backward.mlir --party-arena 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: has no place in the gradient arena; run party-gradient-arena first
// RUN: not partyline-opt %t.mlir --party-arena=micro-batch=0 2>&1 | FileCheck %s --check-prefix=SAMPLES
// SAMPLES: micro-batch must lie between 1 and 1048576
