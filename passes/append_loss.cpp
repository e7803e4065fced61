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
    if (lossOf(function)) {
      if (loss != "cross_entropy" || labelSmoothing != 0)
        return (function.emitError("ends in a loss of its own; leave out --loss and --label-smoothing"),
                signalPassFailure());
      return;
    }
    if (function.getNumArguments() != 2 || function.getNumResults() != 1)
      return (function.emitError("must take (input, sample ids) and return the output"), signalPassFailure());
    Operation *end = function.getBody().front().getTerminator();
    Value output = end->getOperand(0);
    auto type = cast<RankedTensorType>(output.getType());
    bool classes = loss == "cross_entropy";
    if (!classes && loss != "mse" && loss != "bce")
      return (function.emitError("loss ") << loss << " is unknown; it must be cross_entropy, mse or bce",
              signalPassFailure());
    if (classes ? type.getRank() != 2 || !type.isDynamicDim(0) : type.getRank() == 0 || !type.isDynamicDim(0))
      return (function.emitError() << loss << " needs an output of shape [batch, " << (classes ? "classes" : "...")
                                   << "], this model's is " << type,
              signalPassFailure());

    OpBuilder builder(end);
    Location location = NameLoc::get(builder.getStringAttr("loss"));
    RankedTensorType targetsType = classes ? RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type()) : type;
    function.insertArgument(function.getNumArguments(), targetsType, DictionaryAttr(), location);
    end->setOperands({createLoss(builder, location, output, function.getArguments().back()), output});
    function.setType(FunctionType::get(&getContext(), function.getArgumentTypes(), end->getOperandTypes()));
  }

  Value createLoss(OpBuilder &builder, Location location, Value output, Value targets) {
    Value scores = output;
    if (loss == "mse")
      return builder.create<party::MeanSquaredErrorOp>(location, output, targets);
    if (loss == "bce") {
      if (auto sigmoid = output.getDefiningOp<party::SigmoidOp>())
        scores = sigmoid.getInput();
      return builder.create<party::BinaryCrossEntropyOp>(location, scores, targets);
    }
    // log softmax(softmax's input) is what cross-entropy computes; softmax(log softmax(x)) = softmax(x), too.
    while (isa_and_nonnull<party::SoftmaxOp, party::LogSoftmaxOp>(scores.getDefiningOp()))
      scores = scores.getDefiningOp()->getOperand(0);
    return builder
        .create<party::CrossEntropyOp>(location, scores, targets, /*weights=*/Value(),
                                       builder.getF64FloatAttr(labelSmoothing), /*ignore_index=*/IntegerAttr(),
                                       builder.getStringAttr("mean"))
        .getLoss();
  }
};

} // namespace
} // namespace partyline
