//===- planner/arena.cpp - dynamic storage allocation ---------------------===//
//
//   1. lower bound: the most bytes that live at one moment
//   2. every greedy order (size, area, lifetime, start, end) with first fit and with best fit; stop at the bound
//   3. search over orders from the best one: a buffer that reaches the top of the arena is to blame, so it, or one
//      below it, moves to an earlier place in the order; kept if the arena did not grow
//
// Greedy by size is Pisarchyk and Lee's (arXiv 2001.03288); step 3 is squeaky-wheel optimisation. Its weakness: a first
// fit never leaves a gap on purpose, though every solution pressed to the bottom is a first fit of some order.
//
//===----------------------------------------------------------------------===//
#include "passes/planner/arena.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

namespace partyline::planner {
namespace {

int64_t roundUp(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

/// Sums of sizes must not overflow, whatever the file says.
constexpr int64_t kLargestTotal = int64_t(1) << 60;

void check(const ArenaProblem &problem) {
  if (problem.alignment < 1 || problem.alignment > (1 << 20))
    throw inputError("arena: alignment " + std::to_string(problem.alignment) + " is not in 1..1048576");
  int64_t total = 0;
  for (const ArenaBuffer &buffer : problem.buffers) {
    const std::string name = "arena: buffer " + std::to_string(buffer.id);
    if (buffer.lower >= buffer.upper)
      throw inputError(name + " has lifetime [" + std::to_string(buffer.lower) + ", " + std::to_string(buffer.upper) +
                       "), which is empty");
    if (buffer.size < 0)
      throw inputError(name + " has negative size " + std::to_string(buffer.size));
    if (buffer.size > kLargestTotal || (total += roundUp(buffer.size, problem.alignment)) > kLargestTotal)
      throw inputError(name + ": sizes add up to more than 2^60 bytes");
  }
}

/// A placed buffer, with what the scan needs close together.
struct Placed {
  int64_t lower, upper, offset, end;
};

/// Reusable placement: buffers of one order, kept sorted by offset, so that one scan sees the gaps from below.
class Placement {
public:
  explicit Placement(const ArenaProblem &problem) : problem(problem) { placed.reserve(problem.buffers.size()); }

  /// Returns the height. `giveUp`: heights from there on are of no interest, the result may then be any such.
  int64_t place(const std::vector<int32_t> &order, ArenaFit fit, std::vector<int64_t> &offsets,
                int64_t giveUp = std::numeric_limits<int64_t>::max()) {
    placed.clear();
    int64_t height = 0;
    for (int32_t index : order) {
      const ArenaBuffer &buffer = problem.buffers[index];
      const int64_t size = roundUp(buffer.size, problem.alignment);
      const int64_t offset = size == 0 ? 0 : findGap(buffer, size, fit);
      offsets[index] = offset;
      if (size == 0)
        continue;
      height = std::max(height, offset + size);
      if (height >= giveUp)
        return height;
      auto at = std::upper_bound(placed.begin(), placed.end(), offset,
                                 [](int64_t value, const Placed &other) { return value < other.offset; });
      placed.insert(at, {buffer.lower, buffer.upper, offset, offset + size});
    }
    return height;
  }

private:
  int64_t findGap(const ArenaBuffer &buffer, int64_t size, ArenaFit fit) const {
    int64_t top = 0; // end of the highest buffer seen so far that lives together with this one
    int64_t bestOffset = -1, bestGap = std::numeric_limits<int64_t>::max();
    for (const Placed &other : placed) {
      if (other.lower >= buffer.upper || other.upper <= buffer.lower)
        continue;
      const int64_t gap = other.offset - top;
      if (gap >= size && gap < bestGap) {
        if (fit == ArenaFit::first)
          return top;
        bestGap = gap;
        bestOffset = top;
      }
      top = std::max(top, other.end);
    }
    return bestOffset >= 0 ? bestOffset : top;
  }

  const ArenaProblem &problem;
  std::vector<Placed> placed;
};

/// A greedy order: larger keys first, ties by the second key, then by index.
struct GreedyOrder {
  const char *name;
  std::function<std::pair<double, double>(const ArenaBuffer &)> key;
};

std::vector<GreedyOrder> greedyOrders() {
  auto size = [](const ArenaBuffer &b) { return double(b.size); };
  auto lifetime = [](const ArenaBuffer &b) { return double(b.upper) - double(b.lower); };
  return {
      {"size", [=](const ArenaBuffer &b) { return std::pair(size(b), lifetime(b)); }},
      {"area", [=](const ArenaBuffer &b) { return std::pair(size(b) * lifetime(b), size(b)); }},
      {"lifetime", [=](const ArenaBuffer &b) { return std::pair(lifetime(b), size(b)); }},
      {"start", [=](const ArenaBuffer &b) { return std::pair(-double(b.lower), size(b)); }},
      {"end", [=](const ArenaBuffer &b) { return std::pair(double(b.upper), size(b)); }},
  };
}

std::vector<int32_t> sortedBy(const ArenaProblem &problem, const GreedyOrder &greedy) {
  std::vector<std::pair<double, double>> keys;
  keys.reserve(problem.buffers.size());
  for (const ArenaBuffer &buffer : problem.buffers)
    keys.push_back(greedy.key(buffer));
  std::vector<int32_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return keys[a] > keys[b]; });
  return order;
}

/// Step 3. Changes `best` and `order` where it finds a lower arena.
void searchOrders(const ArenaProblem &problem, const ArenaOptions &options, std::vector<int32_t> order, ArenaFit fit,
                  ArenaSolution &best) {
  const int64_t n = int64_t(order.size());
  const int64_t iterations = options.searchWork / std::max<int64_t>(n * n / 2, 1000);
  std::mt19937_64 random(options.seed);
  Placement placement(problem);
  ArenaSolution current = best;
  std::vector<int64_t> offsets(n);
  std::vector<int64_t> blamed;
  for (int64_t iteration = 0; iteration < iterations && best.height > best.lowerBound; ++iteration) {
    // To blame: those at the top, by their place in the order.
    blamed.clear();
    for (int64_t place = 0; place < n; ++place) {
      const ArenaBuffer &buffer = problem.buffers[order[place]];
      if (current.offsets[order[place]] + roundUp(buffer.size, problem.alignment) == current.height)
        blamed.push_back(place);
    }
    int64_t from = blamed[random() % blamed.size()];
    if (random() % 4 == 0) // now and then any other, or the search stays with the same few
      from = int64_t(random() % uint64_t(n));
    if (from == 0)
      continue;
    const int64_t to = int64_t(random() % uint64_t(from));
    std::rotate(order.begin() + to, order.begin() + from, order.begin() + from + 1);
    const int64_t height = placement.place(order, fit, offsets, current.height + 1);
    if (height > current.height) {
      std::rotate(order.begin() + to, order.begin() + to + 1, order.begin() + from + 1);
      continue;
    }
    current.height = height;
    current.offsets = offsets;
    if (height < best.height) {
      best.height = height;
      best.offsets = offsets;
      best.order = current.order + ", searched";
    }
  }
}

} // namespace

int64_t arenaLowerBound(const ArenaProblem &problem) {
  std::vector<std::pair<int64_t, int64_t>> changes; // time, bytes; deaths sort before births of the same moment
  changes.reserve(2 * problem.buffers.size());
  for (const ArenaBuffer &buffer : problem.buffers) {
    const int64_t size = roundUp(buffer.size, problem.alignment);
    changes.emplace_back(buffer.lower, size);
    changes.emplace_back(buffer.upper, -size);
  }
  std::sort(changes.begin(), changes.end());
  int64_t live = 0, most = 0;
  for (const auto &[time, bytes] : changes)
    most = std::max(most, live += bytes);
  return most;
}

ArenaSolution placeInOrder(const ArenaProblem &problem, const std::vector<int32_t> &order, ArenaFit fit) {
  ArenaSolution solution;
  solution.offsets.resize(problem.buffers.size());
  solution.height = Placement(problem).place(order, fit, solution.offsets);
  solution.lowerBound = arenaLowerBound(problem);
  return solution;
}

ArenaSolution solveArena(const ArenaProblem &problem, const ArenaOptions &options) {
  check(problem);
  ArenaSolution best;
  best.height = std::numeric_limits<int64_t>::max();
  best.lowerBound = arenaLowerBound(problem);
  std::vector<int32_t> bestOrder;
  ArenaFit bestFit = ArenaFit::first;
  Placement placement(problem);
  std::vector<int64_t> offsets(problem.buffers.size());
  for (const GreedyOrder &greedy : greedyOrders()) {
    const std::vector<int32_t> order = sortedBy(problem, greedy);
    for (ArenaFit fit : {ArenaFit::first, ArenaFit::best}) {
      const int64_t height = placement.place(order, fit, offsets, best.height);
      if (height >= best.height)
        continue;
      best.height = height;
      best.offsets = offsets;
      best.order = std::string(greedy.name) + (fit == ArenaFit::first ? ", first fit" : ", best fit");
      bestOrder = order;
      bestFit = fit;
      if (height == best.lowerBound)
        return best;
    }
  }
  if (options.search)
    searchOrders(problem, options, bestOrder, bestFit, best);
  return best;
}

} // namespace partyline::planner
