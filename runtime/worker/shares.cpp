//===- shares.cpp ---------------------------------------------------------===//
#include "runtime/worker/shares.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace partyline::runtime {

Shares evenShares(int64_t total, int ranks) { return proportionalShares(Shares(size_t(ranks), 1), total); }

Shares proportionalShares(const Shares &weights, int64_t total) {
  const int64_t sum = std::accumulate(weights.begin(), weights.end(), int64_t(0));
  Shares shares(weights.size());
  std::vector<std::pair<int64_t, size_t>> remainders; // negative, so that sorting puts the largest first
  int64_t given = 0;
  for (size_t rank = 0; rank < weights.size(); ++rank) {
    shares[rank] = weights[rank] * total / sum;
    given += shares[rank];
    remainders.emplace_back(-(weights[rank] * total % sum), rank);
  }
  std::sort(remainders.begin(), remainders.end());
  for (int64_t i = 0; i < total - given; ++i)
    ++shares[remainders[size_t(i)].second];
  return shares;
}

Shares parseShares(const std::string &text, int ranks) {
  Shares shares;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    uint32_t share = 0;
    const auto [rest, status] = std::from_chars(text.data() + begin, text.data() + end, share);
    if (status != std::errc() || rest != text.data() + end)
      throw inputError("--shares " + text + ": '" + text.substr(begin, end - begin) +
                       "' is no number of samples; write one number per rank, as 1,3");
    shares.push_back(share);
    begin = end + 1;
  }
  if (shares.size() != size_t(ranks))
    throw inputError("--shares " + text + ": has " + std::to_string(shares.size()) + " numbers, but there are " +
                     std::to_string(ranks) + " ranks");
  if (std::all_of(shares.begin(), shares.end(), [](int64_t share) { return share == 0; }))
    throw inputError("--shares " + text + ": nobody has anything to do");
  return shares;
}

} // namespace partyline::runtime
