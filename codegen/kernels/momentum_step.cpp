//===- codegen/kernels/momentum_step.cpp ----------------------------------===//

#include "codegen/kernels/momentum_step.h"

using namespace Halide;

namespace partyline::kernels {

Kernel MomentumStep::kernel(bool hasMomentum, const Target &target, Expr factor, const std::vector<Argument> &scalars) {
  // THE ALGORITHM. The outputs are the memory of the inputs, and one is stored before the other is computed: the
  // direction is held in registers, so that none is read after it has been written.
  Var e("e");
  Func held("held"), result("result");
  Expr direction = gradient(e) + weightDecay * weight(e);
  if (factor.defined())
    direction = factor * direction;
  if (hasMomentum)
    direction = momentum * buffer(e) + direction;
  held(e) = strict(direction);
  Expr updated = strict(weight(e) - learningRate * held(e));
  if (hasMomentum)
    result(e) = Tuple(updated, held(e));
  else
    result(e) = updated;
  denseOutput(result);

  // THE SCHEDULE
  const int lanes = vectorLanes(target);
  scheduleElements(result, e, lanes);
  held.compute_at(result, Var("vector")).vectorize(e, lanes, guarded);

  Kernel kernel{{learningRate}, {result}};
  auto add = [&](const Argument &argument) { kernel.arguments.push_back(argument); };
  if (hasMomentum)
    add(momentum);
  add(weightDecay);
  for (const Argument &scalar : scalars)
    add(scalar);
  add(gradient);
  add(weight);
  if (hasMomentum)
    add(buffer);
  return kernel;
}

} // namespace partyline::kernels
