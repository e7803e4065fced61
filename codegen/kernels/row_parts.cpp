//===- row_parts.cpp ------------------------------------------------------===//
#include "codegen/kernels/row_parts.h"

using namespace Halide;

namespace partyline::kernels {

/// 128 KiB, which stay in a core's second-level cache beside the rows.
static constexpr int kSmallSum = 32 << 10;

/// Enough for the cores of a phone, few enough that adding them up costs nothing.
static constexpr int kParts = 16;

RowParts::RowParts(const std::string &name, int elements, const Expr &blocks)
    : parts(elements <= kSmallSum ? kParts : 1), perPart((blocks + (parts - 1)) / parts), partial(name + "_parts") {}

void RowParts::add(const Func &whole, const std::vector<Var> &coordinates, const Start &start,
                   const std::vector<Expr> &place, const Expr &value, const Expr &step) {
  if (!any()) {
    whole(coordinates) = undef<float>();
    whole(place) = select(step == 0, start(place), whole(place)) + value;
    return;
  }
  std::vector<Var> partCoordinates = coordinates;
  partCoordinates.push_back(part);
  std::vector<Expr> partPlace = place;
  partPlace.push_back(part);
  partial(partCoordinates) = 0.f;
  partial(partPlace) += value;

  Expr sum = start({coordinates.begin(), coordinates.end()});
  for (int i = 0; i < parts; ++i) {
    std::vector<Expr> here(coordinates.begin(), coordinates.end());
    here.push_back(i);
    sum += partial(here);
  }
  whole(coordinates) = sum;
}

} // namespace partyline::kernels
