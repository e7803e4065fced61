//===- codegen/kernels/reductions.cpp - sums and maxima that keep their digits ---===//

#include "codegen/kernels/reductions.h"
#include "codegen/kernels/tuples.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

void defineSum(Func f, const std::vector<Var> &kept, const std::vector<Expr> &terms) {
  if (terms.size() == 1)
    f(kept) = Internal::make_zero(terms[0].type());
  else
    f(kept) = Tuple(std::vector<Expr>(terms.size(), Internal::make_zero(terms[0].type())));
  const std::vector<Expr> here(kept.begin(), kept.end());
  std::vector<Expr> sums = valuesOf(f, here);
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = strict(sums[i] + terms[i]);
  define(f, here, sums);
}

std::vector<Var> append(std::vector<Var> list, const Var &last) {
  list.push_back(last);
  return list;
}

std::vector<Expr> append(const std::vector<Var> &list, const Expr &last) {
  std::vector<Expr> result(list.begin(), list.end());
  result.push_back(last);
  return result;
}

// 256 rows of one vector each stay in the first-level cache until the next vector of the same lines is added.
constexpr int rowsPerGroup = 16, groupsPerBlock = 16, rowsPerBlock = rowsPerGroup * groupsPerBlock, rowsPerRun = 64;
constexpr int vectorsPerRun = 64, runsPerGroup = 64;

/// An index that a where() keeps below the extent. Bounds inference does not look at where(): without the promise it
/// would have a producer computed, and memory read, beyond the end.
Expr below(Expr extent, Expr index) { return unsafe_promise_clamped(index, 0, extent - 1); }

Expr ceilDivide(Expr a, int b) { return (a + (b - 1)) / b; }

} // namespace

RunSum::RunSum(const std::string &name, const std::vector<Var> &kept, Expr rows, const Terms &terms)
    : column(kept[0]), inRun(0, rowsPerRun, "in_run"), inTotal(0, ceilDivide(rows, rowsPerRun), "in_total"),
      runs(name + "_runs"), totals(name) {
  const Expr row = run * rowsPerRun + inRun;
  inRun.where(row < rows);
  defineSum(runs, append(kept, run), terms(below(rows, row)));
  defineSum(totals, kept, valuesOf(runs, append(kept, Expr(inTotal))));
}

std::vector<Expr> RunSum::at(const std::vector<Expr> &place) const { return valuesOf(totals, place); }

void RunSum::schedule(int lanes, LoopLevel use) {
  totals.compute_at(use);
  runs.compute_at(totals, inTotal.x);
  for (Func f : {totals, runs}) {
    f.vectorize(column, lanes, guarded);
    f.update().vectorize(column, lanes, guarded);
  }
}

RowSum::RowSum(const std::string &name, const std::vector<Var> &kept, Expr rows, const Terms &terms)
    : kept(kept), inGroup(0, rowsPerGroup, "in_group"), inBlock(0, groupsPerBlock, "in_block"),
      groups(name + "_groups"), sums(name + "_sums"), blocks(name + "_blocks") {
  inGroup.where(group * rowsPerGroup + inGroup < rows);
  defineSum(groups, append(kept, group), terms(below(rows, group * rowsPerGroup + inGroup)));

  Expr groupInBlock = block * groupsPerBlock + inBlock;
  inBlock.where(groupInBlock * rowsPerGroup < rows);
  defineSum(sums, append(kept, block),
            valuesOf(groups, append(kept, below(ceilDivide(rows, rowsPerGroup), groupInBlock))));

  define(blocks, append(kept, Expr(block)), valuesOf(sums, append(kept, Expr(block))));
  totals =
      RunSum(name, kept, ceilDivide(rows, rowsPerBlock), [&](Expr row) { return valuesOf(blocks, append(kept, row)); });
}

void RowSum::schedule(int lanes, int width, LoopLevel use) {
  Var vector("vector"), lane("lane"), piece("piece");
  blocks.compute_root()
      .split(kept[0], vector, lane, lanes, guarded)
      .vectorize(lane)
      .split(vector, piece, vector, std::max(1, width / lanes), guarded);
  Var task = piece;
  for (const Var &outer : append(std::vector<Var>(kept.begin() + 1, kept.end()), block)) {
    Var fused("task_" + outer.name());
    blocks.fuse(task, outer, fused);
    task = fused;
  }
  blocks.parallel(task);

  // Everything else is about one vector, which fits a register.
  sums.compute_at(blocks, vector);
  groups.compute_at(sums, inBlock.x);
  totals.schedule(lanes, use);
  for (Func f : {sums, groups}) {
    f.vectorize(kept[0], lanes, guarded);
    f.update().vectorize(kept[0], lanes, guarded);
  }
}

LaneReduction::LaneReduction(const std::string &name, Kind kind, const std::vector<Var> &kept, Expr extent,
                             const Term &term)
    : lanes(name + "_lanes"), runs(name + "_runs"), result(name) {
  // 16 lanes on every CPU, for equal bits; fewer where the whole extent is less.
  int width = 16;
  if (const int64_t *constant = as_const_int(extent))
    while (width > *constant)
      width /= 2;
  const Expr first = kind == sum ? 0.0f : -std::numeric_limits<float>::infinity();
  auto combine = [kind](Expr a, Expr b) { return strict(kind == sum ? a + b : max(a, b)); };
  auto at = [&kept](Expr l, Expr second) {
    std::vector<Expr> place = {l, second};
    place.insert(place.end(), kept.begin(), kept.end());
    return place;
  };
  auto initialise = [&](Func f, const Var &second) {
    std::vector<Var> arguments = {lane, second};
    arguments.insert(arguments.end(), kept.begin(), kept.end());
    f(arguments) = first;
  };

  const Expr vectors = simplify(extent / width), runCount = simplify(ceilDivide(vectors, vectorsPerRun));
  RDom inRun(0, vectorsPerRun, "in_run");
  const Expr vector = run * vectorsPerRun + inRun;
  inRun.where(vector < vectors);
  initialise(lanes, run);
  lanes(at(lane, run)) = combine(lanes(at(lane, run)), term(below(vectors, vector) * width + lane));

  inGroup = RDom(0, runsPerGroup, "in_group");
  const Expr runInGroup = group * runsPerGroup + inGroup;
  inGroup.where(runInGroup < runCount);
  initialise(runs, group);
  runs(at(lane, group)) = combine(runs(at(lane, group)), lanes(at(lane, below(runCount, runInGroup))));

  overGroups = RDom(0, width, 0, ceilDivide(runCount, runsPerGroup), "over_groups");
  result(kept) = first;
  result(kept) = combine(result(kept), runs(at(overGroups.x, overGroups.y)));
  const Expr done = simplify(vectors * width), left = simplify(extent - done);
  if (!is_const_zero(left)) {
    RDom end(done, left, "end");
    result(kept) = combine(result(kept), term(end));
  }
}

void LaneReduction::schedule(LoopLevel use) {
  result.compute_at(use);
  runs.compute_at(result, overGroups.y).vectorize(lane).update().vectorize(lane);
  lanes.compute_at(runs, inGroup.x).vectorize(lane).update().vectorize(lane);
}

} // namespace partyline::kernels
