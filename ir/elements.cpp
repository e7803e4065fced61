//===- ir/elements.cpp - kernels of elementwise ops -----------------------===//
#include "ir/elements.h"

#include <charconv>

using namespace mlir;

namespace partyline {

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

// A value of one element per channel, beside tensors of a higher rank.
static bool isVector(Value value) { return tensorType(value).getRank() == 1 && tensorType(value).hasStaticShape(); }

// The fewest digits that make this number again.
static std::string shortest(double number) {
  char digits[32];
  return std::string(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

bool isFusible(Operation *op) {
  if (!isa<party::FusibleOpInterface>(op))
    return false;
  RankedTensorType whole;
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values) {
      if (isVector(value))
        continue;
      if (whole && whole != tensorType(value))
        return false;
      whole = tensorType(value);
    }
  if (!whole || whole.getRank() < 2)
    return false;
  for (Value operand : op->getOperands())
    if (isVector(operand) && tensorType(operand).getDimSize(0) != whole.getShape().back())
      return false;
  return true;
}

KernelCall elementsKernel(ArrayRef<Operation *> ops, ValueRange arguments, ValueRange values, ValueRange results) {
  KernelCall call;
  std::string program, shapes;
  llvm::raw_string_ostream text(program);
  DenseMap<Value, size_t> numbers;
  for (Value argument : arguments) {
    shapes += isVector(argument) ? 'v' : 'm';
    numbers[argument] = numbers.size();
  }
  for (Operation *op : ops) {
    text << (op == ops.front() ? "" : "; ") << op->getName().stripDialect();
    for (Value operand : op->getOperands())
      text << ' ' << numbers.at(operand);
    for (NamedAttribute attribute : op->getAttrDictionary()) // sorted by name
      if (auto number = dyn_cast<FloatAttr>(attribute.getValue()))
        text << ' ' << attribute.getName().getValue() << '=' << shortest(number.getValueAsDouble());
    if (op != ops.back())
      numbers[op->getResult(0)] = numbers.size();
  }
  // Without vectors there are no rows: one long one.
  const bool flat = !StringRef(shapes).contains('v') && llvm::none_of(results, isVector);
  call.kernel = {"elements",
                 {{"channels", flat ? int64_t(0) : tensorType(arguments[shapes.find('m')]).getShape().back()},
                  {"program", program},
                  {"shapes", shapes}}};
  for (ValueRange list : {values, results})
    for (Value value : list)
      call.arguments.push_back(flat || isVector(value) ? flatArgument(value) : matrixArgument(value));
  if (!isVector(results.front()))
    for (Value value : values)
      if (value.getType() == results.front().getType())
        call.inPlaceOver.push_back(value);
  return call;
}

KernelCall elementsKernel(Operation *op) {
  // An operand that is given twice is one argument.
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (!llvm::is_contained(operands, operand))
      operands.push_back(operand);
  return elementsKernel(op, operands, operands, op->getResults());
}

} // namespace partyline
