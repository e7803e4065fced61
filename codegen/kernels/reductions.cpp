//===- codegen/kernels/reductions.cpp - sums and maxima that keep their digits ---===//

#include "codegen/kernels/reductions.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

std::vector<Expr> valuesOf(Func f, const std::vector<Expr> &arguments) {
  if (f.outputs() == 1)
    return {f(arguments)};
  std::vector<Expr> values;
  for (int i = 0; i < f.outputs(); ++i)
    values.push_back(f(arguments)[i]);
  return values;
}

void define(Func f, const std::vector<Expr> &arguments, const std::vector<Expr> &values) {
  if (values.size() == 1)
    f(arguments) = values[0];
  else
    f(arguments) = Tuple(values);
}

void defineSum(Func f, const std::vector<Var> &kept, const std::vector<Expr> &terms) {
  if (terms.size() == 1)
    f(kept) = 0.0f;
  else
    f(kept) = Tuple(std::vector<Expr>(terms.size(), 0.0f));
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

constexpr int rowsPerGroup = 16, groupsPerBlock = 32, rowsPerBlock = rowsPerGroup * groupsPerBlock;
constexpr int vectorsPerRun = 64;

} // namespace

RowSum::RowSum(const std::string &name, const std::vector<Var> &kept, Expr rows, const Terms &terms)
    : kept(kept), inGroup(0, rowsPerGroup, "in_group"), inBlock(0, groupsPerBlock, "in_block"),
      inTotal(0, (rows + (rowsPerBlock - 1)) / rowsPerBlock, "in_total"), groups(name + "_groups"),
      sums(name + "_sums"), blocks(name + "_blocks"), totals(name) {
  inGroup.where(group * rowsPerGroup + inGroup < rows);
  defineSum(groups, append(kept, group), terms(group * rowsPerGroup + inGroup));

  Expr groupInBlock = block * groupsPerBlock + inBlock;
  inBlock.where(groupInBlock * rowsPerGroup < rows);
  defineSum(sums, append(kept, block), valuesOf(groups, append(kept, groupInBlock)));

  define(blocks, append(kept, Expr(block)), valuesOf(sums, append(kept, Expr(block))));

  defineSum(totals, kept, valuesOf(blocks, append(kept, Expr(inTotal))));
}

Expr RowSum::operator()(const std::vector<Expr> &place, int i) const { return valuesOf(totals, place)[i]; }

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

  sums.compute_at(blocks, task).vectorize(kept[0], lanes, guarded);
  groups.compute_at(sums, inBlock.x).vectorize(kept[0], lanes, guarded);
  // One vector of sums stays in a register while its column of 16 rows is added.
  groups.update().split(kept[0], vector, lane, lanes, guarded).vectorize(lane).reorder(lane, inGroup.x, vector);
  totals.compute_at(use).vectorize(kept[0], lanes, guarded);
  for (auto [f, rows] : {std::pair(sums, inBlock.x), std::pair(totals, inTotal.x)})
    f.update().split(kept[0], vector, lane, lanes, guarded).vectorize(lane).reorder(lane, vector, rows);
}

LaneReduction::LaneReduction(const std::string &name, Kind kind, const std::vector<Var> &kept, Expr extent,
                             const Term &term)
    : lanes(name + "_lanes"), result(name) {
  // 16 lanes on every CPU, for equal bits; fewer where the whole extent is less.
  int width = 16;
  if (const int64_t *constant = as_const_int(extent))
    while (width > *constant)
      width /= 2;
  Expr first = kind == sum ? 0.0f : -std::numeric_limits<float>::infinity();
  auto combine = [kind](Expr a, Expr b) { return strict(kind == sum ? a + b : max(a, b)); };

  Expr vectors = extent / width;
  RDom inRun(0, vectorsPerRun, "in_run");
  Expr vector = run * vectorsPerRun + inRun;
  inRun.where(vector < vectors);
  std::vector<Expr> place = {lane, run};
  place.insert(place.end(), kept.begin(), kept.end());
  std::vector<Var> placeVars = {lane, run};
  placeVars.insert(placeVars.end(), kept.begin(), kept.end());
  lanes(placeVars) = first;
  lanes(placeVars) = combine(lanes(place), term(vector * width + lane));

  overRuns = RDom(0, width, 0, (vectors + (vectorsPerRun - 1)) / vectorsPerRun, "over_runs");
  result(kept) = first;
  place[0] = overRuns.x;
  place[1] = overRuns.y;
  result(kept) = combine(result(kept), lanes(place));
  Expr done = simplify(vectors * width), left = simplify(extent - done);
  if (!is_const_zero(left)) {
    RDom end(done, left, "end");
    result(kept) = combine(result(kept), term(end));
  }
}

void LaneReduction::schedule(LoopLevel use) {
  result.compute_at(use);
  lanes.compute_at(result, overRuns.y).vectorize(lane);
  lanes.update().vectorize(lane);
}

} // namespace partyline::kernels
