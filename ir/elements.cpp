//===- ir/elements.cpp - kernels of elementwise ops -----------------------===//
#include "ir/elements.h"
#include "ir/op_helpers.h"

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

// Some channels of a tensor of whatever rank from 2 on: a kernel reads them where they are.
static bool isColumns(party::SliceOp slice) {
  RankedTensorType from = slice.getInput().getType(), to = slice.getType();
  int64_t rank = from.getRank();
  if (rank < 2)
    return false;
  for (int64_t i = 0; i + 1 < rank; ++i)
    if (from.getDimSize(i) != to.getDimSize(i))
      return false;
  return storedOrder(slice.getSteps(), slice.getChannelsLast()).back() == 1;
}

bool isFusible(Operation *op) {
  if (auto slice = dyn_cast<party::SliceOp>(op))
    return isColumns(slice);
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

Columns columnsOf(Value value) {
  for (Operation *user : value.getUsers())
    if (auto concat = dyn_cast<party::ConcatOp>(user))
      if (std::optional<int64_t> first = concat.placeOf(value))
        return {concat.getResult(), *first};
  return {value};
}

namespace {

/// What a program works on: each operand has a value in the block, and a place outside.
struct Operands {
  std::string shapes;
  SmallVector<KernelArgument> arguments;
  DenseMap<Value, size_t> numbers;
  int64_t channels = 0;
  bool dense = true; ///< all matrices are dense and there are no vectors: rows and columns are one dimension

  void add(Value inside, Columns columns) {
    const bool vector = isVector(inside);
    numbers[inside] = numbers.size();
    shapes += vector ? 'v' : 'm';
    arguments.push_back(vector ? flatArgument(columns.whole) : matrix(inside, columns));
    dense &= !vector && tensorType(columns.whole) == tensorType(inside);
  }

  KernelArgument matrix(Value inside, Columns columns) {
    channels = tensorType(inside).getShape().back();
    return columnsArgument(columns.whole, columns.first, channels);
  }
};

} // namespace

KernelCall elementsKernel(ArrayRef<Operation *> ops, ValueRange arguments, ValueRange values, ValueRange results) {
  Operands operands;
  auto isRead = [&](Value argument) {
    return llvm::any_of(ops, [&](Operation *op) {
      return !isa<party::SliceOp>(op) && llvm::is_contained(op->getOperands(), argument);
    });
  };
  for (auto [argument, value] : llvm::zip_equal(arguments, values))
    if (isRead(argument))
      operands.add(argument, columnsOf(value));
  for (Operation *op : ops)
    if (auto slice = dyn_cast<party::SliceOp>(op)) {
      Columns columns = columnsOf(values[llvm::find(arguments, slice.getInput()) - arguments.begin()]);
      columns.first += storedOrder(slice.getStarts(), slice.getChannelsLast()).back();
      operands.add(slice.getResult(), columns);
    }

  std::string program;
  llvm::raw_string_ostream text(program);
  DenseMap<Value, size_t> &numbers = operands.numbers;
  for (Operation *op : ops) {
    if (isa<party::SliceOp>(op))
      continue;
    text << (program.empty() ? "" : "; ") << op->getName().stripDialect();
    for (Value operand : op->getOperands())
      text << ' ' << numbers.at(operand);
    for (NamedAttribute attribute : op->getAttrDictionary()) // sorted by name
      if (auto number = dyn_cast<FloatAttr>(attribute.getValue()))
        text << ' ' << attribute.getName().getValue() << '=' << shortest(number.getValueAsDouble());
    if (op != ops.back())
      numbers[op->getResult(0)] = numbers.size();
  }

  KernelCall call;
  SmallVector<KernelArgument> made;
  bool isInPlace = false;
  for (Value result : results) {
    const Columns columns = columnsOf(result);
    made.push_back(isVector(result) ? flatArgument(result) : operands.matrix(result, columns));
    isInPlace |= columns.whole != result;
  }
  const bool flat = operands.dense && !isInPlace && llvm::none_of(results, isVector);
  for (KernelArgument &argument : operands.arguments)
    call.arguments.push_back(flat ? flatArgument(argument.value) : std::move(argument));
  for (KernelArgument &argument : made)
    call.arguments.push_back(flat ? flatArgument(argument.value) : std::move(argument));
  call.kernel = {
      "elements",
      {{"channels", flat ? int64_t(0) : operands.channels}, {"program", program}, {"shapes", operands.shapes}}};
  if (!isVector(results.front()) && !isInPlace)
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
