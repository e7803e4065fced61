//===- ir/ops/where.cpp - selection by a condition, comparisons -----------===//
#include "ir/broadcast.h"

using namespace mlir;

namespace partyline::party {

void importWhere(OnnxNodeImporter &importer) {
  Value condition = importer.condition(0), yes = importer.data(1), no = importer.data(2);
  importer.setOutput(0, createBroadcast<WhereOp>(importer, condition, yes, no));
}

// Compares input `first` with the other one.
template <typename Op> static void importComparison(OnnxNodeImporter &importer, unsigned first = 0) {
  Value lhs = importer.data(first);
  importBroadcast<Op>(importer, lhs, importer.data(1 - first));
}

void importGreater(OnnxNodeImporter &importer) { importComparison<GreaterOp>(importer); }
void importGreaterOrEqual(OnnxNodeImporter &importer) { importComparison<GreaterOrEqualOp>(importer); }
void importLess(OnnxNodeImporter &importer) { importComparison<GreaterOp>(importer, 1); }
void importLessOrEqual(OnnxNodeImporter &importer) { importComparison<GreaterOrEqualOp>(importer, 1); }
void importEqual(OnnxNodeImporter &importer) { importComparison<EqualOp>(importer); }

// The condition is 0 or 1, so the product is a selection.
SmallVector<Value> WhereOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  Value yes = builder.create<MultiplyOp>(getLoc(), gradients[0], getCondition());
  Value no = builder.create<SubtractOp>(getLoc(), gradients[0], yes);
  return {Value(), unbroadcast(builder, getLoc(), yes, getYes().getType()),
          unbroadcast(builder, getLoc(), no, getNo().getType())};
}

// A comparison is constant almost everywhere.
SmallVector<Value> GreaterOp::buildGradient(OpBuilder &, ValueRange) { return {Value(), Value()}; }
SmallVector<Value> GreaterOrEqualOp::buildGradient(OpBuilder &, ValueRange) { return {Value(), Value()}; }
SmallVector<Value> EqualOp::buildGradient(OpBuilder &, ValueRange) { return {Value(), Value()}; }

} // namespace partyline::party
