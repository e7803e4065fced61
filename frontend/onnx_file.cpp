//===- frontend/onnx_file.cpp - ModelProto from disk, external data -------===//

#include "frontend/onnx_file.h"

#include "runtime/shared/error.h"

#include <charconv>
#include <climits>
#include <fstream>

namespace fs = std::filesystem;

namespace partyline {

int64_t defaultOpset(const onnx::ModelProto &model) {
  for (const auto &entry : model.opset_import())
    if (entry.domain().empty() || entry.domain() == "ai.onnx")
      return entry.version();
  return 1; // the standard's default
}

static void checkVersions(const onnx::ModelProto &model, const std::string &file) {
  constexpr int64_t oldestIr = 3, newestIr = 14, oldestOpset = 7, newestOpset = 21;
  if (model.ir_version() < oldestIr || model.ir_version() > newestIr)
    throw cannotError(file + ": IR version " + std::to_string(model.ir_version()) + " is not supported (only " +
                      std::to_string(oldestIr) + " to " + std::to_string(newestIr) + "); export the model again");
  int64_t opset = defaultOpset(model);
  if (opset < oldestOpset || opset > newestOpset)
    throw cannotError(file + ": opset " + std::to_string(opset) + " is not supported (only " +
                      std::to_string(oldestOpset) + " to " + std::to_string(newestOpset) +
                      "); export the model with another opset version");
}

onnx::ModelProto readModelProto(const fs::path &path) {
  const std::string file = path.string();
  std::error_code failure;
  if (!fs::exists(path, failure))
    throw inputError(file + ": no such file");
  if (!fs::is_regular_file(path, failure))
    throw inputError(file + ": not a file");
  auto bytes = fs::file_size(path, failure);
  if (failure)
    throw inputError(file + ": " + failure.message());
  if (bytes == 0)
    throw inputError(file + ": the file is empty");
  if (bytes > INT_MAX)
    throw inputError(file + ": larger than 2 GiB, which no ONNX file can be; save its weights as external data");
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw inputError(file + ": cannot be opened");
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&stream))
    throw inputError(file + ": not an ONNX model, or a truncated one (it does not parse as protobuf)");
  if (!model.has_graph())
    throw inputError(file + ": not an ONNX model, or a truncated one (it has no graph)");
  checkVersions(model, file);
  return model;
}

/// One of the numbers in a tensor's external_data entries.
static int64_t parseByteCount(const std::string &text, const std::string &what) {
  int64_t value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 0)
    throw inputError(what + " '" + text + "' is not a number of bytes");
  return value;
}

/// The file that `location` names, with links resolved: checked to lie inside `folder`.
static fs::path resolveInside(const fs::path &folder, const std::string &location, const std::string &where) {
  fs::path relative(location);
  bool climbs = false;
  for (const auto &part : relative)
    climbs |= part == "..";
  if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute() || climbs)
    throw inputError(where + ": its external data '" + location + "' must be a file inside the model's folder");
  std::error_code failure;
  fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failure);
  fs::path file = failure ? fs::path() : fs::canonical(root / relative, failure);
  if (failure)
    throw inputError(where + ": its external data '" + location + "' is missing beside the model (" +
                     failure.message() + ")");
  auto [rootEnd, fileEnd] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  if (rootEnd != root.end() || fileEnd == file.end())
    throw inputError(where + ": its external data '" + location + "' is a link out of the model's folder");
  if (!fs::is_regular_file(file, failure))
    throw inputError(where + ": its external data '" + location + "' is not a file");
  return file;
}

std::string readExternalData(const onnx::TensorProto &tensor, const fs::path &folder, int64_t bytes,
                             const std::string &where) {
  std::string location;
  int64_t offset = 0, length = -1;
  for (const auto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      offset = parseByteCount(entry.value(), where + ": the offset of its external data");
    else if (entry.key() == "length")
      length = parseByteCount(entry.value(), where + ": the length of its external data");
  }
  fs::path file = resolveInside(folder, location, where);
  std::error_code failure;
  auto fileBytes = static_cast<int64_t>(fs::file_size(file, failure));
  if (failure)
    throw inputError(where + ": " + file.string() + ": " + failure.message());
  if (offset > fileBytes || (length >= 0 && length > fileBytes - offset))
    throw inputError(where + ": its external data reach beyond the end of '" + location + "' (" +
                     std::to_string(fileBytes) + " bytes); is the file truncated?");
  if (length < 0)
    length = fileBytes - offset;
  if (length != bytes)
    throw inputError(where + ": its external data have " + std::to_string(length) + " bytes, its shape asks for " +
                     std::to_string(bytes));
  std::string data(static_cast<size_t>(bytes), '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.seekg(offset) || !stream.read(data.data(), bytes))
    throw inputError(where + ": cannot read '" + location + "'");
  return data;
}

static void forEachTensorOfNode(onnx::NodeProto &node, const std::function<void(onnx::TensorProto &)> &visit) {
  for (auto &attribute : *node.mutable_attribute()) {
    if (attribute.has_t())
      visit(*attribute.mutable_t());
    for (auto &tensor : *attribute.mutable_tensors())
      visit(tensor);
    if (attribute.has_g())
      forEachTensor(*attribute.mutable_g(), visit);
    for (auto &graph : *attribute.mutable_graphs())
      forEachTensor(graph, visit);
  }
}

void forEachTensor(onnx::GraphProto &graph, const std::function<void(onnx::TensorProto &)> &visit) {
  for (auto &tensor : *graph.mutable_initializer())
    visit(tensor);
  for (auto &node : *graph.mutable_node())
    forEachTensorOfNode(node, visit);
}

} // namespace partyline
