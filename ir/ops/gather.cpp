//===- ir/ops/gather.cpp - chosen elements of a dimension -----------------===//
#include "ir/op_helpers.h"

using namespace mlir;

namespace partyline::party {

// Constant indices are runs of neighbours: a slice each. A vision transformer takes its first token so.
void importGather(OnnxNodeImporter &importer) {
  constexpr size_t mostRuns = 256;
  Value input = importer.data(0);
  RankedTensorType type = importer.typeOf(input);
  int64_t axis = importAxis(importer, importer.intOr("axis", 0), type.getRank());
  if (type.isDynamicDim(axis))
    importer.unsupported("the batch cannot be gathered");
  auto indices = importer.constantInts(1);
  auto indicesShape = importer.constantShape(1);
  if (!indices || !indicesShape)
    importer.unsupported("its indices are not constant");
  if (indices->empty())
    importer.unsupported("it takes nothing");
  int64_t size = type.getDimSize(axis);
  SmallVector<std::pair<int64_t, int64_t>> runs; // first, extent
  for (int64_t index : *indices) {
    if (index < -size || index >= size)
      importer.unsupported("index " + std::to_string(index) + " is not in dimension " + std::to_string(axis));
    index += index < 0 ? size : 0;
    if (!runs.empty() && runs.back().first + runs.back().second == index)
      ++runs.back().second;
    else
      runs.push_back({index, 1});
  }
  if (runs.size() > mostRuns)
    importer.unsupported("its indices jump more than " + std::to_string(mostRuns) + " times");
  SmallVector<Value> parts;
  for (auto [first, extent] : runs)
    parts.push_back(importPart(importer, input, axis, first, extent));
  OpBuilder &builder = importer.builder;
  Value result =
      parts.size() == 1 ? parts[0] : builder.create<ConcatOp>(importer.location, parts, axis, false).getResult();
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, indicesShape->begin(), indicesShape->end());
  importer.setOutput(
      0, builder.createOrFold<ReshapeOp>(importer.location, floatTensor(builder.getContext(), shape), result));
}

} // namespace partyline::party
