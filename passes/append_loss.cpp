//===- passes/append_loss.cpp - see Passes.td -----------------------------===//
#include "passes/passes.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_APPENDLOSS
#include "passes/Passes.h.inc"

namespace {

struct AppendLossPass : impl::AppendLossBase<AppendLossPass> {
  using AppendLossBase::AppendLossBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> phase = requirePhase(getOperation(), kModelFunction);
    if (failed(phase))
      return signalPassFailure();
    func::FuncOp function = *phase;
    if (function.getNumArguments() != 2 || function.getNumResults() != 1)
      return (function.emitError("must take (input, sample ids) and return the output; has it a loss already?"),
              signalPassFailure());
    Operation *end = function.getBody().front().getTerminator();
    if (loss != "cross_entropy")
      return (function.emitError("loss ") << loss << " is unknown; it must be cross_entropy", signalPassFailure());
    Value output = end->getOperand(0);
    auto type = cast<RankedTensorType>(output.getType());
    if (type.getRank() != 2 || !type.isDynamicDim(0))
      return (function.emitError("cross_entropy needs an output of shape [batch, classes], this model's is ") << type,
              signalPassFailure());

    // log softmax(softmax's input) is what cross-entropy computes; softmax(log softmax(x)) = softmax(x), too.
    Value logits = output;
    while (isa_and_nonnull<party::SoftmaxOp, party::LogSoftmaxOp>(logits.getDefiningOp()))
      logits = logits.getDefiningOp()->getOperand(0);

    OpBuilder builder(end);
    auto labelsType = RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
    Location location = NameLoc::get(builder.getStringAttr("loss"));
    function.insertArgument(function.getNumArguments(), labelsType, DictionaryAttr(), location);
    auto crossEntropy = builder.create<party::CrossEntropyOp>(location, logits, function.getArguments().back());
    end->setOperands({crossEntropy.getLoss(), output});
    function.setType(FunctionType::get(&getContext(), function.getArgumentTypes(), end->getOperandTypes()));
  }
};

} // namespace
} // namespace partyline
