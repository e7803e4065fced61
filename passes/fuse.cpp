//===- passes/fuse.cpp - see Passes.td ------------------------------------===//
//
// 1. Ops with parts become these (DecomposableOpInterface).
// 2. Every op that can be fused is put into a party.fused of its own.
// 3. In program order, each of these takes in the ones before it whose results it reads, where less memory is read and
//    written for it; what nobody reads any more goes.
// 4. Slices that nothing took in are taken out again: they compute nothing.
// 5. What only party.fused makes and reads, and a concat along the channels takes, is made in its place in the result.
// 6. Ops that stayed alone are taken out again, unless they work on such a part.
//
//===----------------------------------------------------------------------===//
#include "ir/elements.h"
#include "passes/passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_FUSE
#include "passes/Passes.h.inc"

namespace {

/// Of one kernel: it should not take longer to compile than it saves.
constexpr size_t kMostOps = 12;

using ValueSet = llvm::SmallSetVector<Value, 8>;

bool isMatrix(Value value) { return cast<RankedTensorType>(value.getType()).getRank() > 1; }

ValueSet matricesOf(party::FusedOp op) {
  ValueSet matrices;
  for (Value operand : op.getOperands())
    if (isMatrix(operand))
      matrices.insert(operand);
  return matrices;
}

Operation &lastOp(party::FusedOp op) { return *op.getBody().front().getTerminator()->getPrevNode(); }

size_t opCount(party::FusedOp op) { return op.getBody().front().getOperations().size() - 1; }

/// A party.fused in front of `before` whose body is filled by `fill`: it gets the body's arguments for `operands`, and
/// returns what is yielded.
party::FusedOp createFused(Operation *before, ValueRange operands,
                           function_ref<ValueRange(OpBuilder &, IRMapping &)> fill) {
  OpBuilder builder(before);
  auto fused = builder.create<party::FusedOp>(before->getLoc(), before->getResultTypes(), operands);
  Block &body = fused.getBody().emplaceBlock();
  IRMapping arguments;
  for (Value operand : operands)
    arguments.map(operand, body.addArgument(operand.getType(), operand.getLoc()));
  builder.setInsertionPointToStart(&body);
  builder.create<party::YieldOp>(before->getLoc(), fill(builder, arguments));
  return fused;
}

/// Clones the ops of a fused op's body, whose operands' values `outer` knows; returns the last clone.
Operation *cloneBody(OpBuilder &builder, party::FusedOp fused, const IRMapping &outer) {
  IRMapping inner;
  Block &body = fused.getBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), fused.getOperands()))
    inner.map(argument, outer.lookup(operand));
  Operation *last = nullptr;
  for (Operation &op : body.without_terminator())
    last = builder.clone(op, inner);
  return last;
}

void wrap(Operation *op) {
  ValueSet operands(op->operand_begin(), op->operand_end());
  auto fused = createFused(op, operands.getArrayRef(), [&](OpBuilder &builder, IRMapping &arguments) -> ValueRange {
    return builder.clone(*op, arguments)->getResults();
  });
  op->replaceAllUsesWith(fused.getResults());
  op->erase();
}

void unwrap(party::FusedOp fused) {
  OpBuilder builder(fused);
  IRMapping itself;
  for (Value operand : fused.getOperands())
    itself.map(operand, operand);
  fused->replaceAllUsesWith(cloneBody(builder, fused, itself)->getResults());
  fused->erase();
}

/// `consumer` with the ops of `producer` inside.
party::FusedOp takeIn(party::FusedOp producer, party::FusedOp consumer) {
  const Value taken = producer.getResult(0);
  ValueSet operands(producer.operand_begin(), producer.operand_end());
  for (Value operand : consumer.getOperands())
    if (operand != taken)
      operands.insert(operand);
  auto fused = createFused(consumer, operands.getArrayRef(), [&](OpBuilder &builder, IRMapping &values) -> ValueRange {
    values.map(taken, cloneBody(builder, producer, values)->getResult(0));
    return cloneBody(builder, consumer, values)->getResults();
  });
  consumer->replaceAllUsesWith(fused.getResults());
  consumer->erase();
  return fused;
}

/// Whether `consumer` takes channels out of `value`: which are read from memory.
bool readsSlice(party::FusedOp consumer, Value value) {
  for (auto slice : consumer.getBody().front().getOps<party::SliceOp>())
    if (consumer.getOperand(cast<BlockArgument>(slice.getInput()).getArgNumber()) == value)
      return true;
  return false;
}

/// Whether less memory is touched where the readers of `producer` do its work themselves.
bool shouldTakeIn(party::FusedOp producer, party::FusedOp consumer) {
  if (cast<party::FusibleOpInterface>(lastOp(producer)).sumsRows() ||
      opCount(producer) + opCount(consumer) > kMostOps || readsSlice(consumer, producer.getResult(0)))
    return false;
  // What the consumer reads anyway costs nothing: then the producer's result need not be read.
  const ValueSet read = matricesOf(producer), readAnyway = matricesOf(consumer);
  if (llvm::all_of(read, [&](Value value) { return readAnyway.contains(value); }))
    return true;
  // Else all readers must, so that the result is neither written nor read, and they must not read more for it.
  llvm::SmallPtrSet<Operation *, 4> readers;
  for (Operation *user : producer->getUsers()) {
    auto fused = dyn_cast<party::FusedOp>(user);
    if (!fused || opCount(producer) + opCount(fused) > kMostOps || readsSlice(fused, producer.getResult(0)))
      return false;
    readers.insert(user);
  }
  return readers.size() * read.size() < readers.size() + read.size() + 1;
}

/// The names of the ONNX nodes that the ops of a body come from.
Location locationOf(party::FusedOp fused) {
  llvm::SmallSetVector<StringRef, 4> names;
  for (Operation &op : fused.getBody().front().without_terminator())
    if (auto name = dyn_cast<NameLoc>(op.getLoc()))
      names.insert(name.getName().getValue());
  return names.empty() ? fused.getLoc()
                       : Location(NameLoc::get(StringAttr::get(fused.getContext(), llvm::join(names, " + "))));
}

/// Works on nothing that is in place in a concat.
bool worksOnWholes(party::FusedOp op) {
  auto isWhole = [](Value value) { return columnsOf(value).whole == value; };
  return llvm::all_of(op.getOperands(), isWhole) && llvm::all_of(op.getResults(), isWhole);
}

/// Whether it only takes channels out of a tensor.
bool isSlice(party::FusedOp op) { return opCount(op) == 1 && isa<party::SliceOp>(lastOp(op)); }

void placeInputs(party::ConcatOp concat) {
  if (concat.getStoredAxis() != concat.getType().getRank() - 1)
    return;
  SmallVector<bool> inPlace;
  for (Value input : concat.getInputs())
    inPlace.push_back(concat.canBeInPlace(input));
  if (llvm::is_contained(inPlace, true))
    concat.setInPlace(inPlace);
}

struct FusePass : impl::FuseBase<FusePass> {
  void runOnOperation() override {
    FailureOr<SmallVector<func::FuncOp>> phases = requirePhases(getOperation());
    if (failed(phases))
      return signalPassFailure();
    for (func::FuncOp phase : *phases)
      fuse(phase.getBody().front());
  }

  static void fuse(Block &block) {
    for (auto op : llvm::make_early_inc_range(block.getOps<party::DecomposableOpInterface>())) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(op.decompose(builder));
      op->erase();
    }
    for (Operation &op : llvm::make_early_inc_range(block))
      if (isFusible(&op))
        wrap(&op);
    for (party::FusedOp op : fusedOps(block))
      takeInProducers(op);
    const SmallVector<party::FusedOp> fused = fusedOps(block);
    for (party::FusedOp op : llvm::reverse(fused))
      if (op->use_empty())
        op->erase();
      else if (isSlice(op))
        unwrap(op);
    for (auto concat : block.getOps<party::ConcatOp>())
      placeInputs(concat);
    for (party::FusedOp op : fusedOps(block)) {
      if (opCount(op) == 1 && worksOnWholes(op))
        unwrap(op);
      else
        op->setLoc(locationOf(op));
    }
  }

  static SmallVector<party::FusedOp> fusedOps(Block &block) {
    auto ops = block.getOps<party::FusedOp>();
    return SmallVector<party::FusedOp>(ops.begin(), ops.end());
  }

  static void takeInProducers(party::FusedOp consumer) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Value operand : consumer.getOperands()) {
        auto producer = operand.getDefiningOp<party::FusedOp>();
        if (!producer || !shouldTakeIn(producer, consumer))
          continue;
        consumer = takeIn(producer, consumer);
        if (producer->use_empty())
          producer->erase();
        changed = true;
        break;
      }
    }
  }
};

} // namespace
} // namespace partyline
