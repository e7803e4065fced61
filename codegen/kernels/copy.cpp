//===- codegen/kernels/copy.cpp - scaled, strided copy, adding or not -----===//
//
// y[dims] = (accumulate ? y[dims] : 0) + factor x[dims]. The strides of x are free: with them it transposes, and 0
// broadcasts. y is dense. x_inner says what is known of the innermost stride of x: "1", "0", or "any".
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/elementwise.h"
#include "runtime/shared/error.h"

using namespace Halide;

namespace partyline::kernels {
namespace copy_family {

Kernel buildCopy(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM
  int rank = parameters.integer("rank");
  const std::string &inner = parameters.text("x_inner");
  if (inner != "0" && inner != "1" && inner != "any")
    throw inputError("kernel family copy: x_inner is \"" + inner + "\"; it must be \"0\", \"1\" or \"any\"");
  std::vector<Var> dimensions;
  for (int i = 0; i < rank; ++i)
    dimensions.emplace_back("d" + std::to_string(i));
  std::vector<Expr> here(dimensions.begin(), dimensions.end());
  Param<float> factor("factor");
  Param<int32_t> accumulate("accumulate");
  ImageParam x = inputBuffer(rank, "x"), old = inputBuffer(rank, "old");
  x.dim(0).set_stride(inner == "any" ? Expr() : Expr(inner == "1" ? 1 : 0));
  Func result("result");
  // Selected, not multiplied: what is overwritten may be NaN.
  result(dimensions) = strict(select(accumulate != 0, old(here) + factor * x(here), factor * x(here)));
  denseOutput(result);

  // THE SCHEDULE: overwriting is a branch of its own, which does not read y.
  scheduleRows(result, dimensions, result.output_buffer().dim(0).extent(), vectorLanes(target));
  result.specialize(accumulate == 0);
  return {{factor, accumulate, x, old}, {result}};
}

RegisterKernel copy("copy", {"rank", "x_inner"}, buildCopy);

} // namespace copy_family
} // namespace partyline::kernels
