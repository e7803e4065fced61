//===- codegen/target.h - Halide targets as LLVM triples ------------------===//
#pragma once

#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace partyline::codegen {

/// The LLVM triple of a resolved Halide target. Throws cannotError for an architecture or system without support.
std::string tripleOf(const std::string &target);

/// Position-independent code for the family's baseline CPU: what adaptors do needs no more.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const std::string &target);

} // namespace partyline::codegen
