//===- codegen/kernels/adamw.cpp - one step of AdamW ----------------------===//
//
// PyTorch's AdamW (I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", 2019), operation by operation:
// m += (1 - beta1)(g - m); v = beta2 v + (1 - beta2) g g; then weight (1 - learning_rate weight_decay) loses
// step_size m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon), step_size = learning_rate / (1 - beta1^t).
//
// Strict, as in sgd.cpp: replicas stay identical on different CPUs. What depends on the step alone is computed in
// double as PyTorch does, its powers by multiplications, since each platform's pow() has bits of its own.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/elementwise.h"

using namespace Halide;

namespace partyline::kernels {
namespace adamw_family {

// base^exponent by squaring, bit after bit. A loop, not an expression of 32 selects: Halide's simplifier would multiply
// those out.
Func power(double base, Expr exponent) {
  Func result("power");
  RDom bit(0, 32);
  result() = Tuple(Expr(1.0), Expr(base)); // the product, and base^(2^bit)
  Expr product = result()[0], square = result()[1];
  result() = Tuple(strict(select(((exponent >> cast<uint32_t>(bit)) & 1) == 1, product * square, product)),
                   strict(square * square));
  result.compute_root();
  return result;
}

Kernel buildAdamw(const Parameters &parameters, const Target &target) {
  // THE ALGORITHM. The outputs are the memory of the inputs, and they are stored one after the other: what they are
  // made of is held in registers, so that none is read after it has been written.
  const double beta1 = parameters.real("beta1"), beta2 = parameters.real("beta2");
  const float epsilon = float(parameters.real("epsilon"));
  Param<float> learningRate("learning_rate"), weightDecay("weight_decay");
  Param<uint32_t> step("step");
  ImageParam gradient = inputBuffer(1, "gradient"), weight = inputBuffer(1, "weight"),
             firstMoment = inputBuffer(1, "first_moment"), secondMoment = inputBuffer(1, "second_moment");
  Var e("e");
  Func factors("factors"), moments("moments"), result("result");
  Expr t = step + 1;
  const Expr rate = cast<double>(learningRate), one(1.0);
  factors() = Tuple(strict(cast<float>(one - rate * cast<double>(weightDecay))),
                    strict(cast<float>(rate / (one - power(beta1, t)()[0]))),
                    strict(cast<float>(sqrt(one - power(beta2, t)()[0]))));
  Expr keep = factors()[0], stepSize = factors()[1], correction = factors()[2];

  Expr g = gradient(e);
  moments(e) = Tuple(strict(firstMoment(e) + (g - firstMoment(e)) * float(1 - beta1)),
                     strict(secondMoment(e) * float(beta2) + float(1 - beta2) * g * g));
  Expr m = moments(e)[0], v = moments(e)[1];
  result(e) = Tuple(strict(weight(e) * keep - stepSize * m / (sqrt(v) / correction + epsilon)), m, v);
  denseOutput(result);

  // THE SCHEDULE
  const int lanes = vectorLanes(target);
  factors.compute_root();
  scheduleElements(result, e, lanes);
  moments.compute_at(result, Var("vector")).vectorize(e, lanes, guarded);
  return {{learningRate, weightDecay, step, gradient, weight, firstMoment, secondMoment}, {result}};
}

RegisterKernel adamw("adamw", {"beta1", "beta2", "epsilon"}, buildAdamw);

} // namespace adamw_family
} // namespace partyline::kernels
