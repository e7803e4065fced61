//===- codegen/kernels/tuples.h - Funcs of one value or of several --------===//
//
// Halide tells a Func of one value from one of a Tuple with a single element; what works on any number of values asks
// here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Halide.h>

#include <string>
#include <vector>

namespace partyline::kernels {

inline std::vector<Halide::Expr> valuesOf(Halide::Func f, const std::vector<Halide::Expr> &place) {
  if (f.outputs() == 1)
    return {f(place)};
  std::vector<Halide::Expr> values;
  for (int i = 0; i < f.outputs(); ++i)
    values.push_back(f(place)[i]);
  return values;
}

/// Place: variables, for a pure definition, or expressions.
template <typename Place>
void define(Halide::Func f, const std::vector<Place> &place, const std::vector<Halide::Expr> &values) {
  if (values.size() == 1)
    f(place) = values[0];
  else
    f(place) = Halide::Tuple(values);
}

inline Halide::Func pure(const std::string &name, const std::vector<Halide::Var> &place,
                         const std::vector<Halide::Expr> &values) {
  Halide::Func f(name);
  define(f, place, values);
  return f;
}

} // namespace partyline::kernels
