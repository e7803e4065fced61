//===- ir/layouts.cpp - how a weight lies in memory -----------------------===//
#include "ir/layouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <numeric>

using namespace llvm;

namespace partyline {

bool isPermutation(ArrayRef<int64_t> values) {
  SmallVector<int64_t> sorted(values);
  llvm::sort(sorted);
  for (auto [i, value] : enumerate(sorted))
    if (value != int64_t(i))
      return false;
  return true;
}

bool movesOnlyOnes(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) {
  return is_sorted(to_vector(make_filter_range(permutation, [&](int64_t source) { return shape[source] != 1; })));
}

namespace {

/// A piece of a dimension of the view: its extent, the view dimension it belongs to, and its place among the pieces of
/// that dimension.
struct Factor {
  int64_t extent;
  int64_t dimension;
  int64_t place;
};

} // namespace

// Splits the stored dimensions so that every dimension of `seen` is a run of whole factors. Returns the factors of each.
static std::optional<SmallVector<SmallVector<Factor>>> splitFactors(const Layout &stored, ArrayRef<int64_t> seen) {
  SmallVector<SmallVector<Factor>> groups;
  size_t next = 0;
  int64_t left = 1, dimension = 0, place = 0;
  for (int64_t extent : seen) {
    SmallVector<Factor> group;
    int64_t wanted = extent;
    while (wanted > 1) {
      if (left == 1) {
        if (next == stored.permutation.size())
          return std::nullopt;
        dimension = stored.permutation[next++];
        left = stored.view[dimension];
        place = 0;
        continue;
      }
      int64_t take = std::gcd(wanted, left);
      // A boundary inside the dimension must leave whole factors on both sides.
      if (take != wanted && take != left)
        return std::nullopt;
      group.push_back({take, dimension, place++});
      wanted /= take;
      left /= take;
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::optional<Layout> transposedLayout(ArrayRef<int64_t> shape, const Layout &layout, ArrayRef<int64_t> seen,
                                       ArrayRef<int64_t> permutation) {
  Layout stored = layout;
  if (stored.view.empty() && stored.permutation.empty()) {
    stored.view.assign(shape.begin(), shape.end());
    stored.permutation.resize(shape.size());
    std::iota(stored.permutation.begin(), stored.permutation.end(), 0);
  }
  auto groups = splitFactors(stored, seen);
  if (!groups)
    return std::nullopt;
  SmallVector<Factor> order; // the factors in the new order of storage
  for (int64_t source : permutation)
    append_range(order, (*groups)[source]);

  // The view: factors in ONNX order. A factor's place counts from the outermost piece of its dimension.
  SmallVector<Factor> view = order;
  stable_sort(view, [](const Factor &a, const Factor &b) {
    return std::pair(a.dimension, a.place) < std::pair(b.dimension, b.place);
  });
  Layout result;
  for (const Factor &factor : view)
    result.view.push_back(factor.extent);
  for (const Factor &factor : order)
    result.permutation.push_back(
        find_if(view, [&](const Factor &v) { return v.dimension == factor.dimension && v.place == factor.place; }) -
        view.begin());
  if (is_sorted(result.permutation))
    return Layout{};
  return result;
}

} // namespace partyline
