//===- planner/memory.h - what a worker's memory goes to ------------------===//
//
// peak(b) of one worker as a sum of planned parts, none of them guessed: the worker's measured peak has to agree.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace partyline::planner {

/// Bytes of one worker, by what they are for.
struct MemoryBreakdown {
  int64_t parameters = 0;    ///< weights, running statistics and constants
  int64_t gradients = 0;     ///< the gradient arena
  int64_t optimizer = 0;     ///< one slot of the gradient arena's size per kind of optimizer state
  int64_t activations = 0;   ///< the planned arena of activations, their gradients and scratch, for the micro-batch
  int64_t communication = 0; ///< send and receive buffers
  int64_t data = 0;          ///< images read ahead and decoded
  int64_t footprint = 0;     ///< the worker's own code, libraries and stacks

  int64_t peak() const { return parameters + gradients + optimizer + activations + communication + other(); }
  int64_t other() const { return data + footprint; }

  bool operator==(const MemoryBreakdown &) const = default;
};

/// The parts as the report names them, largest first.
std::vector<std::pair<std::string, int64_t>> partsBySize(const MemoryBreakdown &memory);

/// "activations 2.10 GB, parameters 97.7 MB, ...", largest first, empty parts left out.
std::string describe(const MemoryBreakdown &memory);

} // namespace partyline::planner
