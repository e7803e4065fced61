//===- operator_table_test.cpp - what `partyline ops --format md` claims --===//
//
// The table is read as it is printed. ONNX's node tests, and nodes made here, show what party ops each operator
// becomes: whether these have a gradient, a reference and a case (which OpTest holds to the reference and to finite
// differences).
//
//===----------------------------------------------------------------------===//
#include "tests/ops/node_model.h"
#include "tests/ops/op_case.h"
#include "tests/ops/reference.h"

#include "ir/onnx_imports.h"
#include "passes/passes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <sstream>

using namespace mlir;

namespace partyline::ops_test {
namespace {

struct Row {
  std::string forward, gradient, tests;
};

std::map<std::string, Row> printedTable() {
  std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen("'" TEST_PARTYLINE "' ops --format md", "r"), pclose);
  std::string text;
  for (int c; pipe && (c = fgetc(pipe.get())) != EOF;)
    text += char(c);
  std::map<std::string, Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream columns(line.substr(1));
    for (std::string cell; std::getline(columns, cell, '|');)
      cells.push_back(StringRef(cell).trim().str());
    if (cells.size() >= 6)
      rows[cells[0]] = {cells[2], cells[3], cells[5]};
  }
  return rows;
}

/// What the node tests show of one operator.
struct Observed {
  bool hasNodeTest = false;
  bool hasGradient = false;
  std::set<std::string> ops;
};

/// Whether the op passes a gradient on to an operand.
bool passesGradient(Operation *op) {
  auto differentiable = dyn_cast<party::GradientOpInterface>(op);
  if (!differentiable)
    return false;
  OpBuilder builder(op->getBlock()->getTerminator());
  SmallVector<Value> gradients = differentiable.buildGradient(builder, op->getResults());
  return llvm::any_of(gradients, [](Value gradient) { return bool(gradient); });
}

void observe(const NodeTest &test, const NodeModel &node, std::map<std::string, Observed> &operators) {
  std::map<std::string, std::string> operatorOf; // by the node's name
  for (const OnnxNode &onnxNode : test.graph.nodes)
    operatorOf[onnxNode.name] = onnxNode.opType;
  auto forEachOp = [&](ModuleOp module, const std::function<void(Operation *, Observed &)> &body) {
    SmallVector<Operation *> ops;
    for (Operation &op : phaseFunction(module, kModelFunction).getBody().front())
      ops.push_back(&op);
    for (Operation *op : ops)
      if (auto name = dyn_cast<NameLoc>(op->getLoc()); name && !isa<party::ParameterOp>(op))
        if (auto found = operatorOf.find(name.getName().str()); found != operatorOf.end())
          body(op, operators[found->second]);
  };
  // Spatial ops have the gradients of their channels-last form.
  OwningOpRef<ModuleOp> channelsLast = node.model.module.get().clone();
  PassManager manager(&context());
  manager.addPass(createChannelsLast());
  ASSERT_TRUE(succeeded(manager.run(*channelsLast)));
  forEachOp(*channelsLast, [](Operation *op, Observed &seen) {
    seen.hasGradient |= isa<party::ChannelsLastOpInterface>(op) && passesGradient(op);
  });
  forEachOp(node.model.module.get(), [](Operation *op, Observed &seen) {
    seen.ops.insert(op->getName().getStringRef().str());
    seen.hasGradient |= !isa<party::ChannelsLastOpInterface>(op) && passesGradient(op);
  });
}

/// A node of an operator that has no node test, behind a comparison where it wants a condition, on x of [2, 4, 3, 3].
NodeTest handMade(const std::string &op) {
  const std::map<std::string, std::vector<std::string>> inputs = {
      {"Equal", {"x", "image"}},
      {"Less", {"x", "image"}},
      {"LessOrEqual", {"x", "image"}},
      {"Greater", {"x", "image"}},
      {"GreaterOrEqual", {"x", "image"}},
      {"Where", {"condition", "x", "image"}},
      {"GroupNormalization", {"x", "channels", "channels"}},
      {"InstanceNormalization", {"x", "channels", "channels"}},
      {"SequenceAt", {"sequence", "one"}},
  };
  NodeTest test;
  test.graph.opset = 21;
  test.graph.inputs = {{"x", OnnxType::float32, true, {2, 4, 3, 3}}};
  auto tensor = [](const std::string &name, const Shape &shape) {
    OnnxTensor result;
    result.name = name;
    result.shape = shape;
    result.floats.assign(size_t(product(shape)), 0.5f);
    return result;
  };
  test.inputs = {tensor("x", {2, 4, 3, 3})};
  for (const OnnxTensor &constant : {tensor("image", {4, 3, 3}), tensor("channels", {4})})
    test.graph.initializers.emplace(constant.name, constant);
  auto add = [&](const std::string &type, const std::vector<std::string> &from, const std::string &output) {
    OnnxNode node;
    node.name = output;
    node.opType = type;
    node.inputs = from;
    node.outputs = {output};
    if (type == "GroupNormalization")
      node.attributes["num_groups"] = int64_t(2);
    test.graph.nodes.push_back(node);
  };
  const bool isSequence = op == "SequenceAt" || op == "SplitToSequence";
  if (isSequence) {
    test.graph.initializers["one"] = {"one", OnnxType::int64, {}, {}, {1}};
    add("SplitToSequence", {"x", "one"}, "sequence");
    test.graph.nodes.back().attributes["axis"] = int64_t(1);
  }
  if (op == "Where")
    add("Greater", {"x", "image"}, "condition");
  const std::string last = isSequence ? "SequenceAt" : op;
  const auto known = inputs.find(last);
  add(last, known == inputs.end() ? std::vector<std::string>{"x"} : known->second, "y");
  const bool isGlobal = StringRef(op).starts_with("Global");
  test.graph.outputs = {{"y", OnnxType::float32, false, {}}};
  test.outputs = {Tensor(isGlobal ? Shape{2, 4, 1, 1} : isSequence ? Shape{2, 1, 3, 3} : Shape{2, 4, 3, 3})};
  test.outputTypes = {OnnxType::float32};
  return test;
}

TEST(OperatorTable, SaysWhatIsSo) {
  if (runnableNodeTests().empty())
    GTEST_SKIP() << "ONNX's node tests are not installed (libonnx-testdata)";
  const std::map<std::string, Row> table = printedTable();
  std::map<std::string, Observed> operators;
  for (const std::string &name : runnableNodeTests()) {
    const NodeTest test(std::filesystem::path(TEST_ONNX_NODES) / name);
    observe(test, importNodeTest(test, 0), operators);
    for (const OnnxNode &node : test.graph.nodes)
      operators[node.opType].hasNodeTest = true;
  }
  for (const OnnxImport &import : onnxImports())
    if (!operators[import.op].hasNodeTest) {
      const NodeTest test = handMade(import.op);
      observe(test, importNodeTest(test, 0), operators);
    }
  const std::set<std::string> withCase = opsWithCase();
  for (const OnnxImport &import : onnxImports()) {
    SCOPED_TRACE(import.op);
    ASSERT_TRUE(table.count(import.op));
    const Row &row = table.at(import.op);
    const Observed &seen = operators[import.op];
    auto claims = [&](const char *what) { return row.tests.find(what) != std::string::npos; };
    EXPECT_EQ(row.forward, "yes");
    EXPECT_EQ(claims("ONNX's node tests"), seen.hasNodeTest);
    EXPECT_TRUE(claims("reference"));
    // An Identity becomes nothing: the gradient passes.
    const bool hasGradient = seen.hasGradient || seen.ops.empty();
    EXPECT_EQ(row.gradient == "yes", hasGradient);
    EXPECT_EQ(claims("finite differences"), hasGradient);
    for (const std::string &op : seen.ops) {
      EXPECT_TRUE(findReference(op)) << op << " has no reference";
      EXPECT_TRUE(withCase.count(op)) << op << " has no case";
    }
  }
}

} // namespace
} // namespace partyline::ops_test
