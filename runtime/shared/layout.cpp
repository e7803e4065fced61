//===- layout.cpp ---------------------------------------------------------===//
#include "runtime/shared/layout.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <cstring>

namespace partyline {

int64_t elementCount(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count))
      throw inputError("a tensor's shape has a negative extent or too many elements");
  return count;
}

void checkLayout(const std::string &name, const std::vector<int64_t> &shape, const Layout &layout) {
  if (layout.view.empty() && layout.permutation.empty())
    return;
  if (elementCount(layout.view) != elementCount(shape))
    throw inputError("tensor '" + name + "': its layout's view has another number of elements than its shape");
  std::vector<int64_t> sorted = layout.permutation;
  std::sort(sorted.begin(), sorted.end());
  bool each = sorted.size() == layout.view.size();
  for (size_t i = 0; each && i < sorted.size(); ++i)
    each = sorted[i] == int64_t(i);
  if (!each)
    throw inputError("tensor '" + name + "': its layout's permutation must name every dimension of the view once");
}

namespace {

/// The stored tensor as loops over its dimensions, outermost first, with each loop's step in the ONNX tensor.
/// Neighbouring loops that step as one are merged; loops of one iteration are dropped.
struct Loops {
  std::vector<int64_t> extents, steps;
};

Loops loopsOf(const Layout &layout) {
  size_t rank = layout.view.size();
  std::vector<int64_t> viewSteps(rank, 1);
  for (size_t i = rank; i-- > 1;)
    viewSteps[i - 1] = viewSteps[i] * layout.view[i];
  Loops loops;
  for (int64_t dimension : layout.permutation) {
    int64_t extent = layout.view[dimension], step = viewSteps[dimension];
    if (extent == 1)
      continue;
    if (!loops.steps.empty() && loops.steps.back() == step * extent) {
      loops.extents.back() *= extent;
      loops.steps.back() = step;
    } else {
      loops.extents.push_back(extent);
      loops.steps.push_back(step);
    }
  }
  if (loops.extents.empty()) {
    loops.extents.push_back(1);
    loops.steps.push_back(1);
  }
  return loops;
}

/// Calls row(stored offset, ONNX offset, extent, ONNX step) for every innermost row.
template <typename Row> void forEachRow(const Loops &loops, Row row) {
  size_t outer = loops.extents.size() - 1;
  std::vector<int64_t> index(outer, 0);
  int64_t extent = loops.extents[outer], step = loops.steps[outer];
  for (int64_t stored = 0, onnx = 0;; stored += extent) {
    row(stored, onnx, extent, step);
    size_t d = outer;
    while (d-- > 0) {
      onnx += loops.steps[d];
      if (++index[d] < loops.extents[d])
        break;
      onnx -= loops.steps[d] * loops.extents[d];
      index[d] = 0;
    }
    if (d == size_t(-1))
      return;
  }
}

} // namespace

void storeInLayout(const float *onnx, const std::vector<int64_t> &shape, const Layout &layout, float *stored) {
  int64_t elements = elementCount(shape);
  if (elements == 0)
    return;
  if (layout.view.empty()) {
    std::memcpy(stored, onnx, elements * sizeof(float));
    return;
  }
  forEachRow(loopsOf(layout), [&](int64_t to, int64_t from, int64_t extent, int64_t step) {
    for (int64_t i = 0; i < extent; ++i)
      stored[to + i] = onnx[from + i * step];
  });
}

void loadFromLayout(const float *stored, const std::vector<int64_t> &shape, const Layout &layout, float *onnx) {
  int64_t elements = elementCount(shape);
  if (elements == 0)
    return;
  if (layout.view.empty()) {
    std::memcpy(onnx, stored, elements * sizeof(float));
    return;
  }
  forEachRow(loopsOf(layout), [&](int64_t from, int64_t to, int64_t extent, int64_t step) {
    for (int64_t i = 0; i < extent; ++i)
      onnx[to + i * step] = stored[from + i];
  });
}

} // namespace partyline
