//===- winograd.cpp - the transforms --------------------------------------===//
#include "codegen/kernels/winograd.h"

namespace partyline::kernels::winograd {

using namespace Halide;

Expr transformInput(const Expr &at, const Values &pixels) {
  return select(at == 0, pixels(0) - pixels(2), at == 1, pixels(1) + pixels(2), at == 2, pixels(2) - pixels(1),
                pixels(1) - pixels(3));
}

Expr transformWeights(const Expr &at, const Values &taps) {
  const Expr outer = 0.5f * (taps(0) + taps(2)), inner = 0.5f * taps(1);
  return select(at == 0, taps(0), at == 1, outer + inner, at == 2, outer - inner, taps(2));
}

Expr transformOutput(const Expr &at, const Values &products) {
  return select(at == 0, products(0) + products(1) + products(2), products(1) - products(2) - products(3));
}

Expr transformOutputGradient(const Expr &at, const Values &pixels) {
  return select(at == 0, pixels(0), at == 1, pixels(0) + pixels(1), at == 2, pixels(0) - pixels(1), -pixels(1));
}

Expr transformWeightGradient(const Expr &at, const Values &products) {
  const Expr sum = 0.5f * (products(1) + products(2)), difference = 0.5f * (products(1) - products(2));
  return select(at == 0, products(0) + sum, at == 1, difference, sum + products(3));
}

void scheduleTransform(Func points, Func columns, int from, int channels, int lanes) {
  const std::vector<Var> to = points.args(), half = columns.args();
  Var vector("vector"), lane("lane");
  points.bound(to[0], 0, channels).bound(to[2], 0, kPoints).bound(to[3], 0, kPoints);
  points.split(to[0], vector, lane, lanes, TailStrategy::GuardWithIf).reorder(lane, to[2], to[3], vector, to[1]);
  points.vectorize(lane).unroll(to[2]).unroll(to[3]);
  columns.compute_at(points, vector).bound(half[1], 0, from).bound(half[2], 0, kPoints);
  columns.vectorize(half[0], lanes).unroll(half[1]).unroll(half[2]);
}

} // namespace partyline::kernels::winograd
