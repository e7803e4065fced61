//===- passes/channels_last.cpp - see Passes.td ---------------------------===//
//
// 1. Every spatial op takes its channels-last form between transpositions.
// 2. Greedily: transpositions sink through elementwise ops; pairs cancel and no-ops vanish (the ops' own
//    canonicalisation); what stands on a weight becomes its layout.
// 3. A transposition that all users of an input share becomes the input's layout.
//
//===----------------------------------------------------------------------===//
#include "passes/passes.h"

#include "ir/layouts.h"
#include "ir/op_helpers.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_CHANNELSLAST
#include "passes/Passes.h.inc"

// Step 1.
static void convert(party::ChannelsLastOpInterface op) {
  if (op->hasAttr("channels_last"))
    return;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<int64_t> permutation = op.getOperandPermutation(operand.getOperandNumber());
    if (!permutation.empty())
      operand.set(builder.create<party::TransposeOp>(op.getLoc(), operand.get(), permutation));
  }
  op->setAttr("channels_last", builder.getUnitAttr());
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    SmallVector<int64_t> permutation = op.getResultPermutation(result.getResultNumber());
    if (permutation.empty())
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(RankedTensorType::get(applyPermutation(type.getShape(), permutation), type.getElementType()));
    if (result.use_empty())
      continue;
    auto back = builder.create<party::TransposeOp>(op.getLoc(), result, inversePermutation(permutation));
    result.replaceAllUsesExcept(back.getResult(), back);
  }
}

namespace {

// elementwise(transpose(x)) = transpose(elementwise(x)), where every batched operand comes through the same
// transposition or is not moved by its inverse: a factor per channel, [batch, channels, 1, 1]. The others are made of
// weights, which absorb the inverse; one of lower rank is seen at full rank first.
struct SinkTranspose : OpInterfaceRewritePattern<party::ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(party::ElementwiseOpInterface op, PatternRewriter &rewriter) const override {
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    OperandRange data = op->getOperands().take_front(op.getNumDataOperands());
    party::TransposeOp sunk;
    for (Value operand : data)
      if (auto transpose = operand.getDefiningOp<party::TransposeOp>();
          transpose && !transpose.getType().hasStaticShape())
        sunk = transpose;
    if (!sunk)
      return failure();
    SmallVector<int64_t> permutation(sunk.getPermutation()), inverse = inversePermutation(permutation);
    auto isSunk = [&](Value operand) {
      auto transpose = operand.getDefiningOp<party::TransposeOp>();
      return transpose && transpose.getPermutation() == ArrayRef(permutation);
    };
    for (Value operand : data)
      if (auto type = cast<RankedTensorType>(operand.getType());
          !type.hasStaticShape() && !isSunk(operand) && !movesOnlyOnes(type.getShape(), inverse))
        return failure();
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : MutableArrayRef(operands).take_front(op.getNumDataOperands())) {
      auto type = cast<RankedTensorType>(operand.getType());
      if (!type.hasStaticShape()) {
        auto seen = RankedTensorType::get(applyPermutation(type.getShape(), inverse), type.getElementType());
        operand = isSunk(operand) ? operand.getDefiningOp()->getOperand(0)
                                  : rewriter.create<party::ReshapeOp>(op.getLoc(), seen, operand).getResult();
        continue;
      }
      if (type.getRank() == 0)
        continue;
      if (type.getRank() < resultType.getRank()) {
        SmallVector<int64_t> shape(resultType.getRank() - type.getRank(), 1);
        llvm::append_range(shape, type.getShape());
        operand = rewriter.create<party::ReshapeOp>(op.getLoc(), floatTensor(op.getContext(), shape), operand);
      }
      operand = rewriter.create<party::TransposeOp>(op.getLoc(), operand, inverse);
    }
    OperationState state(
        op.getLoc(), op->getName().getStringRef(), operands,
        {RankedTensorType::get(applyPermutation(resultType.getShape(), inverse), resultType.getElementType())},
        op->getAttrs());
    Operation *moved = rewriter.create(state);
    rewriter.replaceOpWithNewOp<party::TransposeOp>(op, moved->getResult(0), permutation);
    return success();
  }
};

// A transposition or reshape that all users of a weight go through becomes its layout.
struct AbsorbIntoWeight : OpRewritePattern<party::ParameterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(party::ParameterOp op, PatternRewriter &rewriter) const override {
    if (op->use_empty())
      return failure();
    Operation *first = *op->user_begin();
    if (!isa<party::TransposeOp, party::ReshapeOp>(first))
      return failure();
    for (Operation *user : op->getUsers())
      if (user->getName() != first->getName() || user->getAttrDictionary() != first->getAttrDictionary() ||
          user->getResult(0).getType() != first->getResult(0).getType())
        return failure();

    Layout layout;
    if (op.getView())
      layout = {std::vector<int64_t>(*op.getView()), std::vector<int64_t>(*op.getPermutation())};
    if (auto transpose = dyn_cast<party::TransposeOp>(first)) {
      auto moved = transposedLayout(op.getOnnxShape(), layout, op.getType().getShape(), transpose.getPermutation());
      if (!moved)
        return failure();
      layout = *moved;
    }
    SmallVector<Operation *> users(op->getUsers());
    rewriter.modifyOpInPlace(op, [&] {
      if (layout.view.empty()) {
        op.removeViewAttr();
        op.removePermutationAttr();
      } else {
        op.setView(layout.view);
        op.setPermutation(layout.permutation);
      }
      op.getResult().setType(cast<RankedTensorType>(first->getResult(0).getType()));
    });
    for (Operation *user : users)
      rewriter.replaceOp(user, op.getResult());
    return success();
  }
};

struct ChannelsLastPass : impl::ChannelsLastBase<ChannelsLastPass> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> phase = requirePhase(getOperation(), kModelFunction);
    if (failed(phase))
      return signalPassFailure();
    func::FuncOp function = *phase;
    function.walk(convert);

    RewritePatternSet patterns(&getContext());
    patterns.add<SinkTranspose, AbsorbIntoWeight>(&getContext());
    for (RegisteredOperationName op : getContext().getRegisteredOperations())
      if (op.getDialectNamespace() == party::PartyDialect::getDialectNamespace())
        op.getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsAndFoldGreedily(function, std::move(patterns))))
      return (function.emitError("the layout does not settle"), signalPassFailure());
    absorbIntoInput(function);
  }

  // Step 3. The layout is that of one sample: without the batch dimension.
  void absorbIntoInput(func::FuncOp function) {
    if (function.getNumArguments() == 0 || function.getArgument(0).use_empty())
      return;
    BlockArgument input = function.getArgument(0);
    auto first = dyn_cast<party::TransposeOp>(*input.user_begin());
    if (!first)
      return;
    for (Operation *user : input.getUsers())
      if (auto transpose = dyn_cast<party::TransposeOp>(user);
          !transpose || transpose.getPermutation() != first.getPermutation())
        return;
    OpBuilder builder(&getContext());
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> permutation;
    for (int64_t source : first.getPermutation().drop_front())
      permutation.push_back(source - 1);
    function.setArgAttr(0, kInputView, builder.getDenseI64ArrayAttr(type.getShape().drop_front()));
    function.setArgAttr(0, kInputPermutation, builder.getDenseI64ArrayAttr(permutation));
    input.setType(first.getType());
    for (Operation *user : llvm::make_early_inc_range(input.getUsers())) {
      user->getResult(0).replaceAllUsesWith(input);
      user->erase();
    }
    function.setType(
        FunctionType::get(&getContext(), function.getBody().getArgumentTypes(), function.getResultTypes()));
  }
};

} // namespace
} // namespace partyline
