//===- winograd.cpp - the transforms --------------------------------------===//
#include "codegen/kernels/winograd.h"

#include <algorithm>

namespace partyline::kernels::winograd {

using namespace Halide;

Expr Axis::partsAt(const Expr &point) const {
  return lastPartIsShort() ? select(point < points() - 1, parts(), parts() - 1) : Expr(parts());
}

double Axis::products() const { return double(parts() * points() - (lastPartIsShort() ? 1 : 0)) / tile(); }

Expr Axis::inputToPoints(const Expr &at, const Values &pixels) const {
  if (taps == 1)
    return pixels(0);
  return select(at == 0, pixels(0) - pixels(2), at == 1, pixels(1) + pixels(2), at == 2, pixels(2) - pixels(1),
                pixels(1) - pixels(3));
}

Expr Axis::weightsToPoints(const Expr &at, const Values &weights) const {
  if (taps == 1)
    return weights(0);
  const Expr outer = 0.5f * (weights(0) + weights(2)), inner = 0.5f * weights(1);
  return select(at == 0, weights(0), at == 1, outer + inner, at == 2, outer - inner, weights(2));
}

Expr Axis::pointsToOutput(const Expr &at, const Values &products) const {
  if (taps == 1)
    return products(0);
  return select(at == 0, products(0) + products(1) + products(2), products(1) - products(2) - products(3));
}

Expr Axis::gradientToPoints(const Expr &at, const Values &pixels) const {
  if (taps == 1)
    return pixels(0);
  return select(at == 0, pixels(0), at == 1, pixels(0) + pixels(1), at == 2, pixels(0) - pixels(1), -pixels(1));
}

Expr Axis::pointsToWeights(const Expr &at, const Values &products) const {
  if (taps == 1)
    return products(0);
  const Expr sum = 0.5f * (products(1) + products(2)), difference = 0.5f * (products(1) - products(2));
  return select(at == 0, products(0) + sum, at == 1, difference, sum + products(3));
}

bool Axes::pay(int inChannels, int outChannels) const {
  const double share = x.products() * y.products() / (x.taps * y.taps);
  const int channels = std::min(inChannels, outChannels);
  return share <= 0.5 ? channels >= 8 : share <= 0.8 && channels >= 32;
}

Points::Points(const std::string &name, const Axes &axes, Transform transform, const Func &values)
    : points(name + "_points"), axes(axes), columns(name + "_columns") {
  Var a("a"), b("b");
  const std::vector<Var> from = values.args();
  const std::vector<Var> others(from.begin() + 4, from.end());
  const auto place = [&](std::vector<Expr> inner) {
    inner.insert(inner.end(), others.begin(), others.end());
    return inner;
  };
  std::vector<Var> half = from, whole = {from[0], from[3], a, b};
  half[2] = b;
  whole.insert(whole.end(), others.begin(), others.end());
  columns(half) = (axes.y.*transform)(b, [&](int n) { return values(place({from[0], from[1], n, from[3]})); });
  points(whole) = (axes.x.*transform)(a, [&](int n) { return columns(place({from[0], n, b, from[3]})); });
}

void Points::schedule(int from, int channels, int lanes) {
  const std::vector<Var> to = points.args(), half = columns.args();
  Var vector("vector"), lane("lane");
  points.bound(to[0], 0, channels).bound(to[2], 0, axes.x.points()).bound(to[3], 0, axes.y.points());
  points.split(to[0], vector, lane, lanes, TailStrategy::GuardWithIf).reorder(lane, to[2], to[3], vector, to[1]);
  points.vectorize(lane).unroll(to[2]).unroll(to[3]);
  columns.compute_at(points, vector).bound(half[1], 0, from).bound(half[2], 0, axes.y.points());
  columns.vectorize(half[0], lanes).unroll(half[1]).unroll(half[2]);
}

} // namespace partyline::kernels::winograd
