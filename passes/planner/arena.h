//===- planner/arena.h - dynamic storage allocation -----------------------===//
//
// Buffers with sizes and lifetimes get offsets in one arena so that no two that live at the same time overlap, and the
// arena is as small as can be found. NP-hard; a portfolio of greedy orders lands within 1 % of the lower bound on
// training graphs, and a bounded local search over orders narrows what gap they leave. What the challenging sets of
// minimalloc need beyond that is branch and bound, which this is not.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partyline::planner {

struct ArenaBuffer {
  int64_t id = 0;    ///< the caller's; the solver does not look at it
  int64_t lower = 0; ///< first moment at which the buffer lives
  int64_t upper = 0; ///< first moment at which it does not live any more: greater than lower
  int64_t size = 0;  ///< bytes
};

struct ArenaProblem {
  std::vector<ArenaBuffer> buffers;
  int64_t alignment = 64; ///< of every offset; sizes count rounded up to it
};

struct ArenaOptions {
  bool search = true;               ///< local search where the greedy orders leave a gap
  int64_t searchWork = 200'000'000; ///< bound of the search in pairs of buffers looked at: about 0.3 s. Not in time, so
                                    ///< that the same problem has the same solution on every machine
  uint64_t seed = 1;                ///< of the search
};

struct ArenaSolution {
  std::vector<int64_t> offsets; ///< one per buffer, in the problem's order
  int64_t height = 0;           ///< bytes of the arena, a multiple of the alignment
  int64_t lowerBound = 0;       ///< most bytes that live at one moment: no arena is lower
  std::string order;            ///< what found it: "size, first fit", ...
};

/// Where a buffer goes among the gaps that can hold it: the lowest, or the tightest (the lowest of these).
enum class ArenaFit { first, best };

/// Most bytes, rounded up to the alignment, that live at one moment.
int64_t arenaLowerBound(const ArenaProblem &problem);

/// Places buffers in this order (a permutation of their indices), each into a gap between those placed before it.
ArenaSolution placeInOrder(const ArenaProblem &problem, const std::vector<int32_t> &order, ArenaFit fit);

/// The best of the portfolio, then of the search. Throws Error where a buffer makes no sense.
ArenaSolution solveArena(const ArenaProblem &problem, const ArenaOptions &options = {});

/// What is wrong with a solution, if anything. A sweep over time, independent of the solver (arena_validate.cpp).
std::optional<std::string> validateArena(const ArenaProblem &problem, const ArenaSolution &solution);

} // namespace partyline::planner
