//===- network_test.cpp - the gradients of whole networks -----------------===//
//
// Float gradients of deep networks differ by per cents between any two float implementations. So there are three links:
//  1. the reference's gradients, in double, are those of PyTorch in double (LongNetwork, where PyTorch is installed);
//  2. every compiled op, fed what the reference feeds it in the network, has the reference's output and gradients;
//  3. the whole compiled step is not much farther from the reference than other implementations in float: a plain one,
//     and PyTorch.
//
//===----------------------------------------------------------------------===//
#include "tests/ops/checks.h"
#include "tests/ops/imported_model.h"
#include "tests/ops/random.h"

#include "codegen/temporary_file.h"
#include "models/zoo.h"

#include "mlir/IR/IRMapping.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>

using namespace mlir;
namespace fs = std::filesystem;

namespace partyline::ops_test {

using Gradients = std::map<std::string, Tensor>;

namespace {

struct NetworkCase {
  std::string name;
  int64_t size = 64, samples = 2; ///< images of size x size
};

std::ostream &operator<<(std::ostream &stream, const NetworkCase &network) { return stream << network.name; }

struct NetworkName {
  std::string operator()(const testing::TestParamInfo<NetworkCase> &info) const { return info.param.name; }
};

/// A network of the zoo with a batch, and the reference's gradients.
struct Network {
  explicit Network(const NetworkCase &network) : file(folder.path() / "model.onnx") {
    models::NetworkOptions options = models::findNetwork(network.name).defaults;
    options.height = options.width = network.size;
    options.classes = 10;
    options.dropout = 0;
    models::writeModel(network.name, options, file.string());
    model = loadModel(file.string());
    batch = batchFor(model, network.samples);
  }

  Gradients gradients(bool inFloat) const {
    ReferenceRun run{model.weights, batch, /*isTraining=*/true};
    run.inFloat = inFloat;
    return interpretGradients(model, run);
  }

  codegen::TemporaryFolder folder{"partyline-network"};
  fs::path file;
  Model model;
  Batch batch;
};

/// Of the relative errors of all parameters' gradients, each the norm of the difference over the norm.
struct Errors {
  double median = 0, largest = 0;
};

double norm(const Tensor &tensor) {
  return std::sqrt(std::inner_product(tensor.data.begin(), tensor.data.end(), tensor.data.begin(), 0.0));
}

double largestOf(const Tensor &tensor) {
  double largest = 0;
  for (double value : tensor.data)
    largest = std::max(largest, std::abs(value));
  return largest;
}

Errors errorsOf(const Gradients &actual, const Gradients &expected) {
  double largest = 0;
  for (const auto &[name, gradient] : expected)
    largest = std::max(largest, largestOf(gradient));
  std::vector<double> errors;
  for (const auto &[name, gradient] : expected) {
    if (largestOf(gradient) < 1e-6 * largest)
      continue; // zero but for rounding: that of a bias before batch_norm, say
    Tensor difference = actual.at(name);
    for (int64_t i = 0; i < difference.size(); ++i)
      difference[i] -= gradient[i];
    errors.push_back(norm(difference) / norm(gradient));
  }
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors.back()};
}

class NetworkTest : public testing::TestWithParam<NetworkCase> {};
using LongNetworkTest = NetworkTest;

} // namespace

static void expectErrorsLike(const std::string &peer, const Errors &actual, const Errors &limit) {
  std::ostringstream text;
  text << "compiled: median " << actual.median << ", largest " << actual.largest << "; " << peer << ": median "
       << limit.median << ", largest " << limit.largest;
  std::cout << text.str() << std::endl;
  EXPECT_LE(actual.median, 3 * limit.median) << text.str();
  EXPECT_LE(actual.largest, 3 * limit.largest) << text.str();
}

TEST_P(NetworkTest, GradientsAreTheReferences) {
  const Network network(GetParam());
  const Gradients reference = network.gradients(false);
  CompiledStep step(network.model, network.batch.size());
  step.forwardBackward(network.batch, 1.0f / float(network.batch.size()));
  const Gradients compiled = step.gradients();
  for (const auto &[name, gradient] : reference)
    ASSERT_EQ(compiled.count(name), 1u) << name;
  expectErrorsLike("plain float", errorsOf(compiled, reference), errorsOf(network.gradients(true), reference));
}

static bool isBatched(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() > 0 && type.isDynamicDim(0);
}

// A model of `op` alone, whose input is made of the tensors that it has in the network.
static Model modelOfOp(Operation &op, const Values &values, Batch &batch) {
  SmallVector<Value> data;
  for (Value operand : op.getOperands())
    if (isBatched(operand) && !is_contained(data, operand))
      data.push_back(operand);
  int64_t elements = 0;
  for (Value operand : data)
    elements += product(sampleShapeOf(operand));
  const bool isOne = data.size() == 1;
  ModelBuilder builder(isOne ? sampleShapeOf(data[0]) : Shape{elements});
  batch.inputs = isOne ? values.at(data[0].getAsOpaquePointer()) : Tensor({batch.size(), elements});
  Value input = builder.scaled(builder.input());
  IRMapping mapping;
  int64_t start = 0;
  for (Value operand : data) {
    const Tensor &tensor = values.at(operand.getAsOpaquePointer());
    const int64_t count = tensor.size() / batch.size();
    for (int64_t i = 0; i < tensor.size() && !isOne; ++i)
      batch.inputs[i / count * elements + start + i % count] = tensor[i];
    mapping.map(operand, isOne ? input : builder.part(input, start, sampleShapeOf(operand)));
    start += count;
  }
  for (double &value : batch.inputs.data)
    value = float(value);
  for (Value operand : op.getOperands())
    if (!isBatched(operand)) {
      const Tensor &weight = values.at(operand.getAsOpaquePointer());
      auto parameter = operand.getDefiningOp<party::ParameterOp>(); // none: a weight that is transposed first
      mapping.map(operand, builder.weight(weight.shape, std::vector<float>(weight.data.begin(), weight.data.end()),
                                          parameter ? parameter.getKind() : StringRef(kParameterKind)));
    }
  Model model = builder.finish(builder.clone(op, mapping));
  model.training.loss = "mse";
  return model;
}

TEST_P(NetworkTest, EveryOpIsItsReference) {
  const Network network(GetParam());
  ReferenceRun run{network.model.weights, network.batch, /*isTraining=*/true};
  const Values values = interpretValues(network.model, run);
  std::set<std::string> seen; // ops of the same shapes and attributes have the same kernels
  for (Operation &op : network.model.function().getBody().front().without_terminator()) {
    if (isa<party::ReshapeOp>(op) || llvm::none_of(op.getOperands(), isBatched))
      continue;
    std::string kind;
    llvm::raw_string_ostream stream(kind);
    stream << op.getName() << op.getAttrDictionary() << op.getOperandTypes();
    if (!seen.insert(kind).second)
      continue;
    SCOPED_TRACE(kind);
    Batch batch = network.batch;
    const Model model = modelOfOp(op, values, batch);
    batch.targets = values.at(op.getResult(0).getAsOpaquePointer());
    const double range = largestOf(batch.targets);
    Random random(3);
    for (double &target : batch.targets.data)
      target = float(target + random.real(-range, range));
    CompiledStep step(model, batch.size());
    const Answers answers = step.forwardBackward(batch, 1.0f / float(batch.size()));
    ReferenceRun opRun{model.weights, batch, /*isTraining=*/true};
    expectClose("the output", answers.logits, interpret(model, opRun).output, 1e-5);
    const Gradients gradients = step.gradients();
    for (const auto &[name, gradient] : interpretGradients(model, opRun))
      expectClose("the gradient of " + name, gradients.at(name), gradient, 1e-5);
  }
  EXPECT_GE(seen.size(), 5u);
}

template <typename T> static void write(const fs::path &file, const std::vector<T> &values) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char *>(values.data()), std::streamsize(values.size() * sizeof(T)));
}

static Gradients readGradients(const fs::path &folder, const Gradients &like) {
  Gradients gradients;
  for (const auto &[name, gradient] : like) {
    Tensor tensor(gradient.shape);
    std::ifstream(folder / name, std::ios::binary)
        .read(reinterpret_cast<char *>(tensor.data.data()), std::streamsize(tensor.data.size() * sizeof(double)));
    gradients.emplace(name, std::move(tensor));
  }
  return gradients;
}

TEST_P(LongNetworkTest, GradientsAreLikePyTorchs) {
  const char *chosen = std::getenv("PARTYLINE_PYTHON");
  const std::string python = chosen ? chosen : "python3";
  if (std::system((python + " -c 'import onnx.numpy_helper, torch' >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << python
                 << " has no PyTorch and onnx: install them from PyPI, or name an interpreter that has them in "
                 << "PARTYLINE_PYTHON";
  const Network network(GetParam());
  const Gradients reference = network.gradients(false);
  const fs::path folder = network.folder.path();
  const std::vector<double> &inputs = network.batch.inputs.data;
  write(folder / "inputs", std::vector<float>(inputs.begin(), inputs.end()));
  write(folder / "labels", network.batch.labels);
  ASSERT_EQ(std::system((python + " " TEST_TORCH_GRADIENTS " " + folder.string()).c_str()), 0);
  const Gradients exact = readGradients(folder / "double", reference);
  EXPECT_LE(errorsOf(exact, reference).largest, 1e-6);
  CompiledStep step(network.model, network.batch.size());
  step.forwardBackward(network.batch, 1.0f / float(network.batch.size()));
  expectErrorsLike("PyTorch", errorsOf(step.gradients(), reference),
                   errorsOf(readGradients(folder / "float", reference), reference));
}

static const std::vector<NetworkCase> kAll = {
    {"alexnet", 67},  {"googlenet"}, {"inception_v3", 139}, {"mobilenet_v1"},  {"mobilenet_v2"},
    {"resnet50", 96}, {"resnet101"}, {"resnet152"},         {"squeezenet1_0"}, {"squeezenet1_1"},
};
static const std::vector<NetworkCase> kSome = {{"mobilenet_v2"}, {"squeezenet1_1"}}; // of the default tests

INSTANTIATE_TEST_SUITE_P(Zoo, NetworkTest, testing::ValuesIn(kSome), NetworkName());
INSTANTIATE_TEST_SUITE_P(LongZoo, NetworkTest, testing::ValuesIn(kAll), NetworkName());
INSTANTIATE_TEST_SUITE_P(LongZoo, LongNetworkTest, testing::ValuesIn(kAll), NetworkName());

} // namespace partyline::ops_test
