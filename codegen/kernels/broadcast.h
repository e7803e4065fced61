//===- codegen/kernels/broadcast.h - two operands with broadcasting -------===//
//
// y[dims] = f(a[dims], b[dims]). Every stride of a and b is known at run time only (0 broadcasts), but for the
// innermost one: 1 or 0, by the parameters a_inner and b_inner, so that its loads are plain vectors or one scalar.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/elementwise.h"

namespace partyline::kernels {

inline std::vector<std::string> broadcastParameters() { return {"rank", "a_inner", "b_inner"}; }

template <typename Function>
Kernel broadcastKernel(const Parameters &parameters, const Halide::Target &target, Function function) {
  // THE ALGORITHM
  int rank = parameters.integer("rank");
  std::vector<Halide::Var> dimensions;
  for (int i = 0; i < rank; ++i)
    dimensions.emplace_back("d" + std::to_string(i));
  Halide::ImageParam a = inputBuffer(rank, "a"), b = inputBuffer(rank, "b");
  a.dim(0).set_stride(parameters.integer("a_inner"));
  b.dim(0).set_stride(parameters.integer("b_inner"));
  auto at = [&](Halide::ImageParam &operand) {
    return operand(std::vector<Halide::Expr>(dimensions.begin(), dimensions.end()));
  };
  Halide::Func result("result");
  result(dimensions) = strict(function(at(a), at(b)));
  denseOutput(result);

  // THE SCHEDULE
  scheduleRows(result, dimensions, result.output_buffer().dim(0).extent(), vectorLanes(target));
  return {{a, b}, {result}};
}

} // namespace partyline::kernels
