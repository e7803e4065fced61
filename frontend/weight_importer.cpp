//===- frontend/weight_importer.cpp - weights and labels of a graph -------===//
#include "frontend/graph_importer.h"

using namespace mlir;

namespace partyline {

party::ParameterOp GraphImporter::makeWeight(const std::string &name, StringRef kind, ArrayRef<int64_t> shape) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  return builder.create<party::ParameterOp>(NameLoc::get(builder.getStringAttr(name)),
                                            floatTensor(builder.getContext(), shape), name, kind, shape,
                                            DenseI64ArrayAttr(), DenseI64ArrayAttr(), IntegerAttr());
}

Value GraphImporter::constant(const std::string &name, ArrayRef<int64_t> shape, const std::vector<float> &values) {
  if (weights.count(name) || graph.initializers.count(name))
    throw Unsupported{"there are two nodes of this name"};
  result.weights[name] = values;
  return (weights[name] = makeWeight(name, kConstantKind, shape)).getResult();
}

// The weight behind a known float value. What was computed from nothing trained is a constant of the value's own name.
Value GraphImporter::weight(const std::string &name, StringRef kind, Location location) {
  const SymbolicValue &known = *arithmetic.find(name);
  if (!isFloat(known.type))
    throw Unsupported{"input '" + name + "' holds " + typeName(known.type) + ", only float data can be trained"};
  if (known.size() == 0)
    throw Unsupported{"input '" + name + "' has no elements: its shape is " + shapeText(known.shape)};
  if (!known.trainable)
    kind = kConstantKind;
  const std::string weightName = known.trainable ? known.tensor->name : name;
  const std::vector<int64_t> &shape = known.trainable ? known.tensor->shape : known.shape;
  party::ParameterOp &op = weights[weightName];
  if (!op) {
    op = makeWeight(weightName, kind, shape);
    result.weights[weightName] = known.tensor->floats;
    if (kind == kParameterKind)
      trained.insert(op.getResult());
  }
  if (op.getKind() != kind && !(kind == kConstantKind && trainedThroughViews.contains(op.getResult())))
    throw Unsupported{"initializer '" + weightName + "' is used as a " + op.getKind().str() + " and as a " +
                      kind.str()};
  if (known.shape == shape)
    return op.getResult();
  Value reshaped =
      builder.create<party::ReshapeOp>(location, floatTensor(builder.getContext(), known.shape), op.getResult());
  if (trained.contains(op.getResult()))
    trained.insert(reshaped);
  return reshaped;
}

// The graph input that the worker fills with labels. It becomes an argument where the loss that takes it says its
// shape.
Value GraphImporter::labels(const std::string &name, ArrayRef<int64_t> shape) {
  if (losses)
    throw Unsupported{"there is a loss already, " + result.loss};
  const auto input = llvm::find_if(graph.inputs, [&](const OnnxValue &value) { return value.name == name; });
  if (input == graph.inputs.end() || (input->type != OnnxType::int32 && input->type != OnnxType::int64))
    throw Unsupported{"its labels '" + name + "' are no input of the graph of type int32 or int64"};
  const bool fits = input->shape.size() == shape.size() && llvm::all_of(llvm::zip(input->shape, shape), [](auto pair) {
                      auto [said, needed] = pair;
                      return said == -1 || ShapedType::isDynamic(needed) || said == needed;
                    });
  if (input->hasShape && !fits) {
    std::vector<int64_t> needed(shape.begin(), shape.end());
    needed[0] = -1;
    throw Unsupported{"its labels '" + name + "' have shape " + shapeText(input->shape) + ", its scores need " +
                      shapeText(needed)};
  }
  auto type = RankedTensorType::get(shape, builder.getI32Type());
  return function.getBody().front().addArgument(type, NameLoc::get(builder.getStringAttr(name)));
}

// The float form of a known boolean value.
Value GraphImporter::flags(const std::string &name, const SymbolicValue &known) {
  if (known.size() == 0)
    throw Unsupported{"input '" + name + "' has no elements: its shape is " + shapeText(known.shape)};
  party::ParameterOp &op = weights[name];
  if (!op) {
    std::vector<float> &values = result.weights[name];
    for (int64_t flag : constantIntegers(known))
      values.push_back(flag != 0 ? 1 : 0);
    op = makeWeight(name, kConstantKind, known.shape);
  }
  return op.getResult();
}

// An initializer may reach a parameter slot through transpositions and reshapes: PyTorch writes the weight of a Linear
// without bias so. It is trained then, as it would be without them.
void GraphImporter::train(Value value) {
  SmallVector<Value> path = {value};
  while (path.back().getDefiningOp<party::TransposeOp>() || path.back().getDefiningOp<party::ReshapeOp>())
    path.push_back(path.back().getDefiningOp()->getOperand(0));
  auto weight = path.back().getDefiningOp<party::ParameterOp>();
  if (!weight || weight.getKind() == kStateKind || path.size() == 1)
    return;
  weight.setKind(kParameterKind);
  trained.insert(path.begin(), path.end());
  trainedThroughViews.insert(weight.getResult());
}

} // namespace partyline
