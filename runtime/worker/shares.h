//===- shares.h - which rank takes how many samples of a step -------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace partyline::runtime {

/// Samples per rank of a global batch.
using Shares = std::vector<int64_t>;

/// As even as possible; the first ranks take the remainder.
Shares evenShares(int64_t total, int ranks);

/// Divides `total` in the proportion of `weights` by largest remainders, ties to the lower rank. Where they sum to
/// `total` already they come out as they are.
Shares proportionalShares(const Shares &weights, int64_t total);

/// Reads "1,3": one count per rank. Throws an Error that says what is wrong.
Shares parseShares(const std::string &text, int ranks);

} // namespace partyline::runtime
