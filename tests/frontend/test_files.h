//===- tests/frontend/test_files.h - models and files made by tests -------===//
#pragma once

#include "frontend/onnx_graph.h"
#include "runtime/shared/error.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

namespace partyline::test {

namespace fs = std::filesystem;

/// A folder of the test's own, removed with it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "partyline-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  fs::path operator/(const std::string &name) const { return path / name; }

  fs::path path;
};

inline void writeFile(const fs::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string readFile(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The golden networks, or empty where ../shared/data is not there.
inline fs::path goldenFolder() {
  const char *variable = std::getenv("PARTYLINE_SHARED_DATA");
  fs::path folder = fs::path(variable ? variable : PARTYLINE_SHARED_DATA) / "golden";
  return fs::is_directory(folder) ? folder : fs::path();
}

inline onnx::ModelProto readProto(const fs::path &path) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(readFile(path))) << path;
  return model;
}

inline void writeProto(const onnx::ModelProto &model, const fs::path &path) {
  writeFile(path, model.SerializeAsString());
}

/// Builds small models, statement by statement.
class ModelBuilder {
public:
  explicit ModelBuilder(int64_t opset = 17, int64_t irVersion = 8) {
    model.set_ir_version(irVersion);
    auto *import = model.add_opset_import();
    import->set_version(opset);
    graph().set_name("test");
  }

  onnx::GraphProto &graph() { return *model.mutable_graph(); }

  static void describe(onnx::ValueInfoProto &value, const std::string &name, const std::vector<int64_t> &shape) {
    value.set_name(name);
    auto *tensor = value.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(onnx::TensorProto::FLOAT);
    for (int64_t extent : shape)
      if (auto *dimension = tensor->mutable_shape()->add_dim(); extent == -1)
        dimension->set_dim_param("N");
      else
        dimension->set_dim_value(extent);
  }
  ModelBuilder &input(const std::string &name, const std::vector<int64_t> &shape) {
    describe(*graph().add_input(), name, shape);
    return *this;
  }
  ModelBuilder &output(const std::string &name, const std::vector<int64_t> &shape = {}) {
    describe(*graph().add_output(), name, shape);
    return *this;
  }
  onnx::TensorProto &floats(const std::string &name, const std::vector<int64_t> &shape,
                            const std::vector<float> &values) {
    auto &tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t extent : shape)
      tensor.add_dims(extent);
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
    return tensor;
  }
  onnx::TensorProto &integers(const std::string &name, const std::vector<int64_t> &shape,
                              const std::vector<int64_t> &values) {
    auto &tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    for (int64_t extent : shape)
      tensor.add_dims(extent);
    for (int64_t value : values)
      tensor.add_int64_data(value);
    return tensor;
  }
  onnx::NodeProto &node(const std::string &opType, const std::vector<std::string> &inputs,
                        const std::vector<std::string> &outputs) {
    auto &node = *graph().add_node();
    node.set_op_type(opType);
    for (const auto &name : inputs)
      node.add_input(name);
    for (const auto &name : outputs)
      node.add_output(name);
    return node;
  }

  onnx::ModelProto model;
};

inline onnx::AttributeProto &attribute(onnx::NodeProto &node, const std::string &name, int64_t value) {
  auto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
  return attribute;
}

inline onnx::AttributeProto &attribute(onnx::NodeProto &node, const std::string &name,
                                       const std::vector<int64_t> &values) {
  auto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values)
    attribute.add_ints(value);
  return attribute;
}

/// The message and exit code of the Error that `action` throws.
inline void expectError(const std::function<void()> &action, ExitCode exitCode,
                        const std::vector<std::string> &mentioned) {
  try {
    action();
  } catch (const Error &error) {
    EXPECT_EQ(error.exitCode, exitCode) << error.what();
    for (const std::string &part : mentioned)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    return;
  }
  ADD_FAILURE() << "no error; expected one that mentions " << (mentioned.empty() ? "" : mentioned[0]);
}

} // namespace partyline::test
