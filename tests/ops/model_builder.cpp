//===- model_builder.cpp --------------------------------------------------===//
#include "tests/ops/model_builder.h"

#include "passes/pipeline.h"
#include "tests/ops/random.h"

using namespace mlir;

namespace partyline::ops_test {

MLIRContext &context() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerDialects(registry);
    auto *made = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    made->loadAllAvailableDialects();
    return made;
  }();
  return *context;
}

static RankedTensorType batched(Shape sampleShape, Type element = Float32Type::get(&context())) {
  sampleShape.insert(sampleShape.begin(), ShapedType::kDynamic);
  return RankedTensorType::get(sampleShape, element);
}

ModelBuilder::ModelBuilder(const Shape &sampleShape) : builder(&context()) {
  Location location = builder.getUnknownLoc();
  model.module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(model.module->getBody());
  auto type = builder.getFunctionType({batched(sampleShape), batched({}, builder.getI32Type())}, {});
  auto function = builder.create<func::FuncOp>(location, kModelFunction, type);
  body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
}

Location ModelBuilder::nextLocation(StringRef operation) {
  return NameLoc::get(builder.getStringAttr(operation + "_" + Twine(ops++)));
}

Value ModelBuilder::weight(const Shape &shape, double low, double high, StringRef kind) {
  Random random(model.weights.size() + 1);
  std::vector<float> values;
  for (int64_t i = 0; i < product(shape); ++i)
    values.push_back(random.real(low, high));
  return weight(shape, values, kind);
}

Value ModelBuilder::weight(const Shape &shape, const std::vector<float> &values, StringRef kind) {
  std::string name = "w" + std::to_string(model.weights.size());
  model.weights.emplace(name, Tensor(shape, values));
  return builder.create<party::ParameterOp>(nextLocation(name), RankedTensorType::get(shape, builder.getF32Type()),
                                            name, kind, ArrayRef<int64_t>(shape), DenseI64ArrayAttr(),
                                            DenseI64ArrayAttr(), IntegerAttr());
}

Value ModelBuilder::scaled(Value x) { return add<party::MultiplyOp>(x, weight(sampleShapeOf(x), 0.5, 1.5)); }

Value ModelBuilder::reshaped(Value x, const Shape &sampleShape) {
  return add<party::ReshapeOp>(batched(sampleShape), x);
}

Value ModelBuilder::flattened(Value x) { return reshaped(x, {product(sampleShapeOf(x))}); }

Value ModelBuilder::part(Value x, int64_t start, const Shape &sampleShape) {
  const int64_t elements = product(sampleShape);
  return reshaped(add<party::SliceOp>(x, ArrayRef<int64_t>{0, start}, ArrayRef<int64_t>{ShapedType::kDynamic, elements},
                                      ArrayRef<int64_t>{1, 1}, /*channels_last=*/false),
                  sampleShape);
}

Value ModelBuilder::clone(Operation &op, IRMapping &mapping) { return builder.clone(op, mapping)->getResult(0); }

Value ModelBuilder::labels(const Shape &sampleShape) {
  return body->addArgument(batched(sampleShape, builder.getI32Type()), builder.getUnknownLoc());
}

Model ModelBuilder::finish(Value output) {
  SmallVector<Value> results = {output};
  if (auto loss = output.getDefiningOp<party::LossOpInterface>())
    results.push_back(loss->getOperand(0));
  builder.create<func::ReturnOp>(builder.getUnknownLoc(), results);
  auto function = cast<func::FuncOp>(body->getParentOp());
  function.setType(builder.getFunctionType(body->getArgumentTypes(), ValueRange(results).getTypes()));
  return std::move(model);
}

Shape sampleShapeOf(Value value) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape().drop_front();
  return Shape(shape.begin(), shape.end());
}

} // namespace partyline::ops_test
