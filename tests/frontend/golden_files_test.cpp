//===- tests/frontend/golden_files_test.cpp - what exporters really write -===//
//
// The six golden networks, each as four exporters' settings write it. Shapes of activations, which the importer knows
// from the dialect, come from a few rules here.
//
//===----------------------------------------------------------------------===//

#include "frontend/constant_folding.h"
#include "frontend/onnx_model.h"
#include "tests/frontend/test_files.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace partyline::test {

using Shape = std::vector<int64_t>;

static std::vector<fs::path> goldenFiles() {
  std::vector<fs::path> files;
  if (fs::path folder = goldenFolder(); !folder.empty())
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".onnx")
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

#define SKIP_WITHOUT_GOLDEN_FILES()                                                                                    \
  if (goldenFolder().empty())                                                                                          \
  GTEST_SKIP() << "../shared/data/golden is not there (set PARTYLINE_SHARED_DATA)"

/// The nodes that are left of a file when shape arithmetic is folded away, and the shapes they make.
class Walk {
public:
  explicit Walk(const fs::path &path)
      : graph(loadOnnxModel(path)), arithmetic(graph, [this](const std::string &name) {
          auto found = shapes.find(name);
          return found == shapes.end() ? std::nullopt : std::optional<Shape>(found->second);
        }) {
    for (const OnnxValue &input : graph.inputs)
      shapes[input.name] = input.shape;
    for (const OnnxNode &node : graph.nodes)
      if (arithmetic.canFold(node)) {
        arithmetic.fold(node);
      } else {
        left.push_back(&node);
        if (auto shape = infer(node))
          shapes[node.output(0)] = *shape;
      }
  }

  OnnxGraph graph;
  std::map<std::string, Shape> shapes;
  ShapeArithmetic arithmetic;
  std::vector<const OnnxNode *> left;

private:
  Shape shapeOf(const std::string &name) const {
    if (const SymbolicValue *value = arithmetic.find(name))
      return value->shape;
    auto found = shapes.find(name);
    return found == shapes.end() ? Shape() : found->second;
  }

  Shape known(const std::string &name) const {
    if (auto integers = arithmetic.integers(name))
      return *integers;
    throw std::out_of_range("'" + name + "' is not known");
  }

  Shape window(const OnnxNode &node, const Shape &input, const Shape &kernel, int64_t channels) const {
    const size_t rank = kernel.size();
    Shape strides = node.integers("strides", Shape(rank, 1)), pads = node.integers("pads", Shape(2 * rank, 0));
    Shape result = {input.at(0), channels};
    for (size_t i = 0; i < rank; ++i) {
      int64_t room = input.at(2 + i) + pads.at(i) + pads.at(rank + i) - kernel[i], stride = strides.at(i);
      if (stride < 1)
        throw std::out_of_range("stride");
      result.push_back((room + (node.integer("ceil_mode", 0) ? stride - 1 : 0)) / stride + 1);
    }
    return result;
  }

  /// The target with its -1 resolved; exporters leave the batch to it where that is the one unknown.
  Shape reshape(const Shape &from, const std::string &targetName) const {
    const SymbolicValue *target = arithmetic.find(targetName);
    if (!target)
      throw std::out_of_range("the shape '" + targetName + "' is not known");
    Shape shape;
    size_t open = target->elements.size();
    bool batch = false;
    uint64_t known = 1, elements = 1;
    for (const SymbolicInteger &extent : target->elements) {
      const bool isBatch = extent == SymbolicInteger{1, 0};
      batch |= isBatch;
      if (!isBatch && extent.constant == -1)
        open = shape.size();
      else if (!isBatch)
        known *= extent.constant;
      shape.push_back(isBatch ? -1 : extent.constant);
    }
    for (int64_t extent : from)
      elements *= extent == -1 ? 1 : extent;
    if (open < shape.size() && known != 0)
      shape[open] = batch ? static_cast<int64_t>(elements / known) : -1;
    return shape;
  }

  std::optional<Shape> infer(const OnnxNode &node) const {
    const std::string &op = node.opType;
    Shape x = shapeOf(node.input(0));
    if (op == "Conv") {
      Shape weight = shapeOf(node.input(1));
      return window(node, x, {weight.begin() + std::min<size_t>(2, weight.size()), weight.end()}, weight.at(0));
    }
    if (op == "MaxPool" || op == "AveragePool")
      return window(node, x, node.integers("kernel_shape", {}), x.at(1));
    if (op == "GlobalAveragePool" || op == "ReduceMean")
      return Shape{x.at(0), x.at(1), 1, 1};
    if (op == "Gemm")
      return Shape{x.at(0), shapeOf(node.input(1)).at(0)};
    if (op == "Flatten")
      return Shape{x.at(0), x.at(1) * x.at(2) * x.at(3)};
    if (op == "Concat") {
      for (size_t i = 1; i < node.inputs.size(); ++i)
        x.at(1) += shapeOf(node.input(i)).at(1);
      return x;
    }
    if (op == "Pad") {
      Shape pads = known(node.input(1));
      for (size_t i = 0; i < x.size(); ++i)
        x[i] += x[i] == -1 ? 0 : pads.at(i) + pads.at(x.size() + i);
      return x;
    }
    if (op == "Reshape" || op == "Expand")
      return reshape(x, node.input(1));
    if (op == "Unsqueeze" || op == "Squeeze") {
      const Shape axes = known(node.input(1));
      for (int64_t axis : axes)
        if (axis < 0 || axis >= static_cast<int64_t>(x.size()))
          throw std::out_of_range("axis");
        else if (op == "Squeeze")
          x.erase(x.begin() + axis);
        else
          x.insert(x.begin() + axis, 1);
      return x;
    }
    return op == "If" ? std::nullopt : std::optional<Shape>(x);
  }
};

TEST(GoldenFiles, ShapeArithmeticIsFoldedAway) {
  SKIP_WITHOUT_GOLDEN_FILES();
  const std::set<std::string> operators = {"Add",
                                           "AveragePool",
                                           "BatchNormalization",
                                           "Clip",
                                           "Concat",
                                           "Conv",
                                           "Div",
                                           "Dropout",
                                           "Flatten",
                                           "Gemm",
                                           "GlobalAveragePool",
                                           "If",
                                           "MaxPool",
                                           "Mul",
                                           "Pad",
                                           "Pow",
                                           "ReduceMean",
                                           "Relu",
                                           "Reshape",
                                           "Sigmoid",
                                           "Squeeze",
                                           "Tanh",
                                           "Unsqueeze"};
  ASSERT_EQ(goldenFiles().size(), 24u);
  for (const fs::path &file : goldenFiles()) {
    SCOPED_TRACE(file);
    Walk walk(file);
    for (const OnnxNode *node : walk.left)
      EXPECT_TRUE(operators.count(node->opType)) << node->describe();
    EXPECT_EQ(walk.shapes[walk.graph.outputs.at(0).name], (Shape{-1, 10}));
  }
}

TEST(GoldenFiles, BiasesWrittenAsExpandedZeros) {
  SKIP_WITHOUT_GOLDEN_FILES();
  Walk walk(goldenFolder() / "resnet8/dynamo_train.onnx");
  int convolutions = 0;
  for (const OnnxNode *node : walk.left) {
    if (node->opType != "Conv")
      continue;
    ++convolutions;
    const SymbolicValue *weight = walk.arithmetic.find(node->input(1)), *bias = walk.arithmetic.find(node->input(2));
    ASSERT_TRUE(weight && bias);
    EXPECT_TRUE(weight->trainable);
    EXPECT_FALSE(bias->trainable);
    EXPECT_EQ(bias->shape, Shape{weight->shape[0]});
    EXPECT_EQ(bias->tensor->floats, std::vector<float>(weight->shape[0], 0));
  }
  EXPECT_EQ(convolutions, 9);
}

TEST(GoldenFiles, MergedInitializersAreParametersOfTheirOwn) {
  SKIP_WITHOUT_GOLDEN_FILES();
  Walk walk(goldenFolder() / "inception_tiny/legacy_eval.onnx");
  std::set<std::string> biases;
  size_t convolutions = 0;
  for (const OnnxNode *node : walk.left)
    if (node->opType == "Conv") {
      ++convolutions;
      const SymbolicValue *bias = walk.arithmetic.find(node->input(2));
      ASSERT_TRUE(bias);
      EXPECT_TRUE(bias->trainable);
      biases.insert(bias->tensor->name);
    }
  EXPECT_EQ(biases.size(), convolutions);
  EXPECT_TRUE(biases.count("onnx::Conv_186"));
  EXPECT_TRUE(biases.count("onnx::Conv_213"));
}

TEST(GoldenFiles, TruncatedAnywhere) {
  SKIP_WITHOUT_GOLDEN_FILES();
  TemporaryFolder folder;
  const fs::path cut = folder / "cut.onnx";
  for (const fs::path &file : goldenFiles()) {
    SCOPED_TRACE(file);
    const size_t size = fs::file_size(file);
    // Densely at both ends, where the structure is, and some in between; from long to short, so that one copy does.
    std::set<size_t, std::greater<>> lengths;
    for (size_t i = 0; i < 64; ++i)
      lengths.insert({i, size - 1 - i});
    for (size_t i = 64; i < size; i += size / 61 + 1)
      lengths.insert(i);
    writeFile(cut, readFile(file));
    for (size_t length : lengths) {
      fs::resize_file(cut, length);
      try {
        loadOnnxModel(cut);
        ADD_FAILURE() << "loaded though cut off at " << length << " of " << size;
      } catch (const Error &error) {
        EXPECT_NE(std::string(error.what()).find("cut.onnx"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(GoldenFiles, DamagedBytes) {
  SKIP_WITHOUT_GOLDEN_FILES();
  TemporaryFolder folder;
  uint64_t state = 12345;
  auto random = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; };
  int refused = 0;
  for (const char *name : {"lenet/dynamo_train.onnx", "alexnet_tiny/legacy_train.onnx"}) {
    const std::string bytes = readFile(goldenFolder() / name);
    writeFile(folder / "damaged.onnx", bytes);
    for (int round = 0; round < 300; ++round) {
      // Names, shapes and attributes lie at the file's ends, weights in between.
      const size_t at = round % 2 ? random() % 4096 : bytes.size() - 1 - random() % 4096;
      std::fstream file(folder / "damaged.onnx", std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(random())).flush();
      try {
        Walk walk(folder / "damaged.onnx");
      } catch (const Error &) {
        ++refused;
      } catch (const std::logic_error &) { // from the rules above, which are no part of what is tested
      }
      file.seekp(static_cast<std::streamoff>(at)).put(bytes[at]);
    }
  }
  EXPECT_GT(refused, 50);
}

} // namespace partyline::test
