//===- ir/ops/scale.cpp - multiplication by a constant --------------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

void importNeg(OnnxNodeImporter &importer) {
  importer.setOutput(0,
                     importer.builder.create<ScaleOp>(importer.location, importer.data(0), APFloat(-1.0)).getOutput());
}

SmallVector<Value> ScaleOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return {builder.create<ScaleOp>(getLoc(), gradients[0], getFactor())};
}

SmallVector<KernelCall> ScaleOp::getKernelCalls() {
  KernelCall call;
  call.kernel = {"copy", {{"rank", int64_t(1)}, {"x_inner", std::string("1")}}};
  call.scalars = {constantFloat(getFactor().convertToDouble()), fromCall(KernelScalar::Source::accumulate)};
  call.accumulates = true;
  call.arguments = {flatArgument(getInput()), flatArgument(getOutput()), flatArgument(getOutput())};
  return {call};
}

} // namespace partyline::party
