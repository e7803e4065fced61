//===- codegen/kernels/column_sums.cpp - sums of a matrix's columns in one pass ---===//
#include "codegen/kernels/column_sums.h"
#include "codegen/kernels/tuples.h"

using namespace Halide;

namespace partyline::kernels {
namespace {

constexpr int rowsPerBlock = 64, rowsAtOnce = 8;

/// Columns of a task: a block of two inputs then fits in a small second-level cache. Of fewer columns it takes more
/// blocks.
constexpr int columnsPerTask = 512;

Expr blockCount(Expr rows) { return (rows + (rowsPerBlock - 1)) / rowsPerBlock; }

/// As a float, in which so small a count is exact.
Expr rowsIn(Expr block, Expr rows) { return cast<float>(min(rowsPerBlock, rows - block * rowsPerBlock)); }

/// Of one term in neighbouring rows: values[row][term].
Expr treeSum(const std::vector<std::vector<Expr>> &values, size_t term, size_t first, size_t count) {
  if (count == 1)
    return values[first][term];
  return strict_float(treeSum(values, term, first, count / 2) + treeSum(values, term, first + count / 2, count / 2));
}

/// The level of one block of a task.
LoopLevel scheduleBlocks(Func blocks, const Var &column, const Var &block, Expr columns, int lanes) {
  Var vector("vector"), lane("lane"), piece("piece"), task("task");
  blocks.compute_root()
      .split(column, vector, lane, lanes, guarded)
      .vectorize(lane)
      .split(vector, piece, vector, std::max(1, columnsPerTask / lanes), guarded)
      .split(block, task, block, max(1, columnsPerTask / columns), guarded)
      .reorder(lane, vector, block, piece, task)
      .fuse(piece, task, task)
      .parallel(task);
  return LoopLevel(blocks, block);
}

} // namespace

LoopLevel scheduleColumns(Func results, const Var &column, int columns, int lanes) {
  Var vector("vector"), lane("lane");
  denseOutput(results);
  results.output_buffers()[0].dim(0).set_bounds(0, columns);
  results.split(column, vector, lane, lanes, guarded).vectorize(lane);
  return LoopLevel(results, vector);
}

BlockSums::BlockSums(const std::string &name, const Var &column, const Var &block, Expr rows, const Terms &terms)
    : column(column), block(block), groups(0, rowsPerBlock / rowsAtOnce, "groups"), left(0, rowsAtOnce - 1, "left"),
      sums(name) {
  auto at = [&](Expr row) {
    std::vector<Expr> values = terms(unsafe_promise_clamped(row, 0, rows - 1));
    for (Expr &value : values)
      value = strict(value);
    return values;
  };
  // Whole groups, without a test inside; then what is left in the last block.
  const Expr first = block * rowsPerBlock + groups * rowsAtOnce;
  groups.where(first + (rowsAtOnce - 1) < rows);
  std::vector<std::vector<Expr>> values; // [row][term]
  for (int i = 0; i < rowsAtOnce; ++i)
    values.push_back(at(first + i));
  std::vector<Expr> trees;
  for (size_t term = 0; term < values[0].size(); ++term)
    trees.push_back(treeSum(values, term, 0, rowsAtOnce));
  const Expr last = rows / rowsAtOnce * rowsAtOnce + left;
  left.where(last < rows && last / rowsPerBlock == block);

  define(sums, std::vector<Var>{column, block}, std::vector<Expr>(trees.size(), 0.0f));
  for (const std::vector<Expr> &more : {trees, at(last)}) {
    std::vector<Expr> total = here();
    for (size_t term = 0; term < total.size(); ++term)
      total[term] = strict_float(total[term] + more[term]);
    define(sums, std::vector<Expr>{column, block}, total);
  }
}

std::vector<Expr> BlockSums::here() const { return valuesOf(sums, {column, block}); }

void BlockSums::schedule(int lanes, LoopLevel task) {
  sums.compute_at(task).vectorize(column, lanes, guarded);
  sums.update(0).reorder(column, groups.x).vectorize(column, lanes, guarded);
  sums.update(1).reorder(column, left.x).vectorize(column, lanes, guarded);
}

ColumnSums::ColumnSums(const std::string &name, const Var &column, Expr rows, const Terms &terms)
    : column(column), sums(name + "_sums", column, block, rows, terms),
      blocks(pure(name + "_blocks", {column, block}, sums.here())),
      totals(name, {column}, blockCount(rows), [&](Expr row) {
        return valuesOf(blocks, {column, row});
      }) {}

void ColumnSums::schedule(Expr columns, int lanes, LoopLevel use) {
  sums.schedule(lanes, scheduleBlocks(blocks, column, block, columns, lanes));
  totals.schedule(lanes, use);
}

ColumnMoments::ColumnMoments(const std::string &name, const Var &column, Expr rows, const Term &term)
    : column(column), sums(name + "_sums", column, block, rows, [&](Expr row) { return std::vector<Expr>{term(row)}; }),
      center(pure(name + "_center", {column, block}, {strict(sums.here()[0] * (1.0f / rowsIn(block, rows)))})),
      squares(name + "_squares", column, block, rows,
              [&](Expr row) {
                const Expr deviation = term(row) - center(column, block);
                return std::vector<Expr>{deviation * deviation};
              }),
      blocks(pure(name + "_blocks", {column, block}, {center(column, block), squares.here()[0]})),
      mean(name + "_mean") {
  total = RunSum(name + "_total", {column}, blockCount(rows),
                 [&](Expr row) { return std::vector<Expr>{rowsIn(row, rows) * blocks(column, row)[0]}; });
  mean(column) = strict(total.at({column})[0] / cast<float>(rows));
  spread = RunSum(name + "_spread", {column}, blockCount(rows), [&](Expr row) {
    const Expr distance = blocks(column, row)[0] - mean(column);
    return std::vector<Expr>{blocks(column, row)[1] + rowsIn(row, rows) * distance * distance};
  });
  moments = pure(name + "_moments", {column}, {mean(column), strict(spread.at({column})[0] / cast<float>(rows))});
}

void ColumnMoments::schedule(Expr columns, int lanes, LoopLevel use) {
  const LoopLevel task = scheduleBlocks(blocks, column, block, columns, lanes);
  sums.schedule(lanes, task);
  center.compute_at(task).vectorize(column, lanes, guarded);
  squares.schedule(lanes, task);
  total.schedule(lanes, use);
  mean.compute_at(use).vectorize(column, lanes, guarded);
  spread.schedule(lanes, use);
}

} // namespace partyline::kernels
