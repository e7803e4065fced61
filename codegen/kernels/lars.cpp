//===- codegen/kernels/lars.cpp - one step of LARS on one tensor ----------===//
//
// Y. You, I. Gitman, B. Ginsburg, "Large batch training of convolutional networks", 2017: the step of SGD times
//   ratio = trust |weight| / (|gradient| + weight_decay |weight|), or 1 where a norm is 0.
// As in sgd, and unlike in the paper, the learning rate stands outside of the momentum buffer.
//
// The norms are sums of double: squares of floats are exact there, whatever a compiler contracts. They are added in an
// order that depends on the position alone, neither on the number of threads nor on the width of vectors.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/momentum_step.h"
#include "codegen/kernels/reductions.h"

using namespace Halide;

namespace partyline::kernels {
namespace lars_family {

/// The tensor is seen as rows of 16 columns. Buffers hold whole rows: tensors begin at multiples of 16 elements.
constexpr int columns = 16;

Kernel buildLars(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM. What lies behind the `elements` of the tensor is padding, which may be anything.
  MomentumStep step;
  Param<float> trust("trust");
  Param<int> elements("elements");
  Var column("column");
  RowSum squares("squares", {column}, (elements + (columns - 1)) / columns, [&](Expr row) {
    Expr element = row * columns + column;
    auto square = [&](const ImageParam &buffer) {
      Expr value = cast<double>(select(element < elements, buffer(element), 0.0f));
      return value * value;
    };
    return std::vector<Expr>{square(step.gradient), square(step.weight)};
  });
  Func ofColumns("of_columns"), ofAll("of_all"), ratio("ratio");
  ofColumns(column) = Tuple(squares.at({column}));
  RDom all(0, columns, "all");
  ofAll() = Tuple(Expr(0.0), Expr(0.0));
  ofAll() = Tuple(strict(ofAll()[0] + ofColumns(all)[0]), strict(ofAll()[1] + ofColumns(all)[1]));
  Expr gradientNorm = sqrt(ofAll()[0]), weightNorm = sqrt(ofAll()[1]);
  ratio() = strict(cast<float>(select(
      gradientNorm > 0 && weightNorm > 0,
      cast<double>(trust) * weightNorm / (gradientNorm + cast<double>(step.weightDecay) * weightNorm), Expr(1.0))));
  Kernel kernel = step.kernel(parameters.integer("momentum") != 0, target, ratio(), {trust, elements});

  // THE SCHEDULE
  const int lanes = vectorLanes(target);
  Var vector("vector"), lane("lane");
  ofColumns.compute_root().bound(column, 0, columns).split(column, vector, lane, lanes, guarded).vectorize(lane);
  squares.schedule(lanes, columns, LoopLevel(ofColumns, vector));
  ofAll.compute_root();
  ratio.compute_root();
  return kernel;
}

RegisterKernel lars("lars", {"momentum"}, buildLars);

} // namespace lars_family
} // namespace partyline::kernels
