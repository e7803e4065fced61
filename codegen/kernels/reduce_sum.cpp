//===- codegen/kernels/reduce_sum.cpp - sums over some of the dimensions --===//
//
// y[kept dims] = (accumulate ? y : 0) + factor * sum over the reduced dims of x, x dense up to its run-time strides.
// pattern names the dimensions of x outermost first, k for kept and r for reduced. Neighbours of one kind are one
// dimension, so the letters alternate.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/column_sums.h"
#include "runtime/shared/error.h"

#include <set>

using namespace Halide;

namespace partyline::kernels {
namespace reduce_sum_family {

/// A task is 256 rows of 64 floats.
constexpr int pieceWidth = 64;

Kernel buildReduceSum(const Parameters &parameters, const Target &target) {
  const std::string &pattern = parameters.text("pattern");
  if (!std::set<std::string>{"k", "r", "rk", "kr", "rkr", "krk", "rkrk", "krkr"}.count(pattern))
    throw inputError("kernel family reduce_sum: pattern \"" + pattern + "\" is not 1 to 4 alternating letters k and r");
  const int rank = static_cast<int>(pattern.size()), lanes = vectorLanes(target);
  Param<float> factor("factor");
  Param<int32_t> accumulate("accumulate");
  ImageParam x = inputBuffer(rank, "x");

  // THE ALGORITHM. Halide counts dimensions from the innermost: letter i of the pattern is dimension rank - 1 - i.
  std::vector<Var> kept;
  std::vector<int> keptDimensions, reducedDimensions;
  for (int dimension = 0; dimension < rank; ++dimension) {
    const bool isKept = pattern[rank - 1 - dimension] == 'k';
    (isKept ? keptDimensions : reducedDimensions).push_back(dimension);
    if (isKept)
      kept.emplace_back("k" + std::to_string(dimension));
  }
  ImageParam old(Float(32), static_cast<int>(kept.size()), "old");
  if (!kept.empty())
    old = inputBuffer(static_cast<int>(kept.size()), "old");
  auto element = [&](const std::vector<Var> &keptPlace, const std::vector<Expr> &reducedPlace) -> Expr {
    std::vector<Expr> place(rank);
    for (size_t i = 0; i < keptPlace.size(); ++i)
      place[keptDimensions[i]] = keptPlace[i];
    for (size_t i = 0; i < reducedPlace.size(); ++i)
      place[reducedDimensions[i]] = reducedPlace[i];
    return x(place);
  };
  const std::vector<Expr> here(kept.begin(), kept.end());
  Func result("result");
  auto finish = [&](Expr sum) {
    result(kept) = strict(select(accumulate != 0, old(here) + factor * sum, factor * sum));
    if (!kept.empty())
      denseOutput(result);
    return Kernel{{factor, accumulate, x, old}, {result}};
  };
  // Where the innermost dimension is kept, vectors of results; else one result at a time.
  auto scheduleResult = [&](int width, int perTask) {
    Var vector("vector"), lane("lane"), task("task");
    result.split(kept[0], vector, lane, width, guarded).vectorize(lane).split(vector, task, vector, perTask, guarded);
    for (size_t i = 1; i < kept.size(); ++i) {
      Var fused("task" + std::to_string(i));
      result.fuse(task, kept[i], fused);
      task = fused;
    }
    result.parallel(task);
    return LoopLevel(result, vector);
  };

  if (pattern == "k") {
    Kernel kernel = finish(element(kept, {}));
    scheduleElements(result, kept[0], lanes);
    return kernel;
  }
  Expr length = x.dim(0).extent();
  if (pattern == "r") {
    // Read as rows of 16, which are summed like columns; then the 16 sums and what is left.
    Var column("column");
    RowSum columns("columns", {column}, length / 16, [&](Expr row) { return std::vector<Expr>{x(row * 16 + column)}; });
    RDom over(0, 16), end(length / 16 * 16, length % 16);
    Func total("total");
    total() = 0.0f;
    total() = strict(total() + columns.at({over})[0]);
    total() = strict(total() + x(end));
    Kernel kernel = finish(total());
    total.compute_root();
    columns.schedule(std::min(lanes, 16), 16, LoopLevel::root());
    return kernel;
  }
  if (pattern == "rk") {
    ColumnSums sum("sum", kept[0], x.dim(1).extent(),
                   [&](Expr row) { return std::vector<Expr>{element(kept, {row})}; });
    Kernel kernel = finish(sum.totalsOf(kept[0])[0]);
    sum.schedule(x.dim(0).extent(), lanes, scheduleResult(lanes, 16));
    return kernel;
  }
  if (pattern.back() == 'k') {
    // Two reduced dimensions are counted as one.
    Expr inner = x.dim(reducedDimensions[0]).extent(), rows = inner;
    if (reducedDimensions.size() == 2)
      rows = inner * x.dim(reducedDimensions[1]).extent();
    RowSum sum("sum", kept, rows, [&](Expr row) {
      if (reducedDimensions.size() == 2)
        return std::vector<Expr>{element(kept, {row % inner, row / inner})};
      return std::vector<Expr>{element(kept, {row})};
    });
    Kernel kernel = finish(sum.at(here)[0]);
    sum.schedule(lanes, pieceWidth, scheduleResult(lanes, 16));
    return kernel;
  }
  if (reducedDimensions.size() == 1) { // kr
    LaneReduction sum("sum", LaneReduction::sum, kept, length, [&](Expr index) { return element(kept, {index}); });
    Kernel kernel = finish(sum(here));
    sum.schedule(scheduleResult(1, 64));
    return kernel;
  }
  // rkr, krkr: the sum of each innermost row, then over the rows.
  Var row("row");
  std::vector<Var> places = kept;
  places.push_back(row);
  LaneReduction inner("inner", LaneReduction::sum, places, length, [&](Expr index) {
    return element(kept, {index, row});
  });
  RowSum sum("sum", kept, x.dim(reducedDimensions[1]).extent(), [&](Expr outer) {
    std::vector<Expr> place = here;
    place.push_back(outer);
    return std::vector<Expr>{inner(place)};
  });
  Kernel kernel = finish(sum.at(here)[0]);
  sum.schedule(1, 1, scheduleResult(1, 16));
  inner.schedule(sum.row());
  return kernel;
}

RegisterKernel reduceSum("reduce_sum", {"pattern"}, buildReduceSum);

} // namespace reduce_sum_family
} // namespace partyline::kernels
