//===- codegen/target.h - Halide targets as LLVM triples ------------------===//
#pragma once

#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace partyline::codegen {

/// The LLVM triple of a resolved Halide target. Throws cannotError for an architecture or system without support.
std::string tripleOf(const std::string &target);

/// Position-independent code for the family's baseline CPU, selected fast. Adaptors are straight lines of stores and a
/// call: optimising them takes 3.5 times as long to compile (3.4 s against 1.0 s for 1,000 on a busy Zen 4 core) and
/// nobody would see the nanoseconds.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const std::string &target);

} // namespace partyline::codegen
