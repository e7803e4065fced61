//===- node_test.cpp - ONNX's own tests of single nodes -------------------===//
//
// Every node test whose operators are in the table of `partyline ops`, on the interpreter: the files' numbers hold the
// import and the reference to account, as other tests hold the kernels to the reference. LongNode: compiled, too.
// Which tests cannot be run, and why, stands in node_tests.txt; ONNX_NODE_TESTS_WRITE=FILE writes it anew.
//
//===----------------------------------------------------------------------===//
#include "tests/ops/checks.h"
#include "tests/ops/node_model.h"

#include "runtime/shared/error.h"
#include "runtime/worker/loss_divisor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace partyline::ops_test {

static std::vector<std::string> nodeTests() {
  std::vector<std::string> names;
  if (fs::is_directory(TEST_ONNX_NODES))
    for (const auto &entry : fs::directory_iterator(TEST_ONNX_NODES))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

/// Why a node test is not run; empty: it is.
std::string reasonAgainst(const NodeTest &test) {
  try {
    importNodeTest(test, 0);
    return "";
  } catch (const Error &error) {
    // Only what is said of the node itself matters.
    const std::string message = error.what();
    for (const std::string before : {"): ", "': "})
      if (const size_t found = message.find(before); found != std::string::npos)
        return message.substr(found + before.size());
    return message;
  }
}

/// The node tests of trainable operators, split by whether they can be run.
struct NodeTests {
  std::vector<std::string> run;
  std::map<std::string, std::string> left; ///< with the reason

  NodeTests() {
    for (const std::string &name : nodeTests()) {
      const NodeTest test(fs::path(TEST_ONNX_NODES) / name);
      if (!test.isTrainable())
        continue;
      std::string reason = !test.isFloat()   ? "its data are not float32"
                           : test.isRandom() ? "its output is random"
                                             : reasonAgainst(test);
      reason.empty() ? run.push_back(name) : void(left.emplace(name, reason));
    }
  }
};

const NodeTests &all() {
  static const NodeTests tests;
  return tests;
}

/// The batch as the worker counts its labels.
struct BatchDataset : runtime::Dataset {
  explicit BatchDataset(const Batch &batch) : batch(batch) {}
  int64_t size() const override { return batch.size(); }
  void read(int64_t, float *) const override {}
  void readLabels(int64_t index, int32_t *labels) const override {
    const auto labelsOfOne = int64_t(batch.labels.size()) / batch.size();
    std::copy_n(batch.labels.begin() + index * labelsOfOne, labelsOfOne, labels);
  }
  const std::vector<std::string> &classNames() const override { return names; }

  const Batch &batch;
  std::vector<std::string> names;
};

/// Output 0 of a loss: the losses, or the one number that the worker makes of them.
Tensor reduced(const NodeModel &node, const Tensor &losses) {
  party::LossOpInterface loss = lossOf(node.model.function());
  const LossReduction reduction = loss.getLossReduction();
  if (reduction.name == "none")
    return losses;
  Manifest manifest;
  ManifestClass deviceClass;
  manifest.reduction = {reduction.name, reduction.ignoreIndex, ""};
  deviceClass.labels.shape = sampleShapeOf(loss->getOperand(1));
  const runtime::Arena arena(1 << 12);
  if (reduction.classWeights) {
    manifest.reduction.classWeights = reduction.classWeights.getDefiningOp<party::ParameterOp>().getName().str();
    const Tensor &weights = node.model.weights.at(manifest.reduction.classWeights);
    manifest.tensors = {{manifest.reduction.classWeights, weights.shape, {}, TensorKind::constant, 0, weights.size()}};
    std::copy(weights.data.begin(), weights.data.end(), arena.at<float>(0));
  }
  const runtime::LossDivisor divisor(manifest, deviceClass, arena);
  std::vector<uint32_t> samples(size_t(node.batch.size()));
  std::iota(samples.begin(), samples.end(), 0u);
  Tensor result(Shape{});
  result[0] = std::accumulate(losses.data.begin(), losses.data.end(), 0.0) /
              divisor.divisor(divisor.weight(BatchDataset(node.batch), samples));
  return result;
}

/// Output `index` of the node test in what the model said.
Tensor outputOf(const NodeTest &test, size_t index, const NodeModel &node, const Tensor &output, const Tensor &losses) {
  Tensor result = test.isLoss() && index == 0 ? reduced(node, losses) : output;
  result.shape = test.outputs[index].shape;
  return result;
}

} // namespace

const std::vector<std::string> &runnableNodeTests() { return all().run; }

// All in one test: finding out which can be run costs more than most of them.
TEST(NodeTests, HaveTheirOutputs) {
  for (const std::string &name : runnableNodeTests()) {
    SCOPED_TRACE(name);
    const NodeTest test(fs::path(TEST_ONNX_NODES) / name);
    for (size_t i = 0; i < test.outputs.size(); ++i) {
      if (!test.isChecked(i))
        continue;
      const NodeModel node = importNodeTest(test, i);
      ReferenceRun run{node.model.weights, node.batch, test.isTraining()};
      const ReferenceAnswers answers = interpret(node.model, run);
      expectClose("output " + std::to_string(i), outputOf(test, i, node, answers.output, answers.losses),
                  test.outputs[i], 2e-6);
    }
  }
}

TEST(LongNodeTests, HaveTheirOutputsCompiled) {
  for (const std::string &name : runnableNodeTests()) {
    SCOPED_TRACE(name);
    const NodeTest test(fs::path(TEST_ONNX_NODES) / name);
    const NodeModel node = importNodeTest(test, 0);
    CompiledStep step(node.model, node.batch.size());
    const Answers answers = test.isTraining() ? step.forwardBackward(node.batch, 1) : step.evaluate(node.batch);
    expectClose("the output", outputOf(test, 0, node, answers.logits, answers.losses), test.outputs[0], 5e-6);
  }
}

TEST(NodeTests, ThoseLeftOutAreListed) {
  if (nodeTests().empty())
    GTEST_SKIP() << "ONNX's node tests are not installed (libonnx-testdata)";
  std::ostringstream list;
  list << "# ONNX's tests of nodes whose operators can be trained that are not run, and why. Written by ops_test with\n"
          "# ONNX_NODE_TESTS_WRITE=FILE.\n";
  for (const auto &[name, reason] : all().left)
    list << name << ": " << reason << '\n';
  if (const char *file = std::getenv("ONNX_NODE_TESTS_WRITE")) {
    std::ofstream(file) << list.str();
    return;
  }
  std::stringstream known;
  known << std::ifstream(TEST_NODE_LIST).rdbuf();
  EXPECT_EQ(list.str(), known.str());
}

} // namespace partyline::ops_test
