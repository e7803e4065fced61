//===- candidate.h - another schedule for the same kernel -----------------===//
//
// Schedules are formulas, which know a core by its vectors, registers and caches alone. Where a core differs, `compile
// --tune` measures the next best: a family of kernels that is registered with kCandidates takes a number of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/kernel.h"

namespace partyline::kernels {

struct Candidate {
  int tile = 0;             ///< chooseRegisterTile's best, second best...
  bool otherBlocks = false; ///< the loops around the tiles turned or cut differently

  static Candidate read(const Parameters &parameters) {
    const int number = parameters.candidate();
    return {number / 2, number % 2 == 1};
  }
};

/// Three tiles in two arrangements. 0 is the formula's choice.
inline constexpr int kCandidateTiles = 3, kCandidates = 2 * kCandidateTiles;

} // namespace partyline::kernels
