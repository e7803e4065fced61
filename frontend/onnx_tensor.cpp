//===- frontend/onnx_tensor.cpp - TensorProto's data, both ways -----------===//
//
// A tensor's data lie in raw_data, in a typed field, or in a file beside the model; all become floats or int64. The
// number of values is checked against the shape before anything is allocated for them.
//
//===----------------------------------------------------------------------===//

#include "frontend/half.h"
#include "frontend/onnx_file.h"
#include "runtime/shared/error.h"

#include <bit>
#include <cstring>

namespace partyline {

static_assert(std::endian::native == std::endian::little, "raw_data is little endian");

int64_t bytesPerElement(int32_t dataType) {
  switch (static_cast<OnnxType>(dataType)) {
  case OnnxType::uint8:
  case OnnxType::int8:
  case OnnxType::boolean:
    return 1;
  case OnnxType::uint16:
  case OnnxType::int16:
  case OnnxType::float16:
  case OnnxType::bfloat16:
    return 2;
  case OnnxType::float32:
  case OnnxType::int32:
  case OnnxType::uint32:
    return 4;
  case OnnxType::float64:
  case OnnxType::int64:
  case OnnxType::uint64:
    return 8;
  default:
    return 0;
  }
}

/// Elements of type T in `bytes`, each through `convert`.
template <typename T, typename Out, typename Convert>
static std::vector<Out> unpack(const std::string &bytes, Convert convert) {
  std::vector<Out> values(bytes.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<Out>(convert(value));
  }
  return values;
}

template <typename T> static std::vector<int64_t> unpackIntegers(const std::string &bytes) {
  return unpack<T, int64_t>(bytes, [](T value) { return value; });
}

static void fillFromBytes(OnnxTensor &result, const std::string &bytes) {
  switch (result.type) {
  case OnnxType::float32:
    result.floats.resize(bytes.size() / sizeof(float));
    if (!bytes.empty())
      std::memcpy(result.floats.data(), bytes.data(), bytes.size());
    return;
  case OnnxType::float64:
    result.floats = unpack<double, float>(bytes, [](double value) { return value; });
    return;
  case OnnxType::float16:
    result.floats = unpack<uint16_t, float>(bytes, halfToFloat);
    return;
  case OnnxType::bfloat16:
    result.floats = unpack<uint16_t, float>(bytes, bfloat16ToFloat);
    return;
  case OnnxType::boolean:
    result.integers = unpack<uint8_t, int64_t>(bytes, [](uint8_t value) { return value != 0; });
    return;
  case OnnxType::uint8:
    result.integers = unpackIntegers<uint8_t>(bytes);
    return;
  case OnnxType::int8:
    result.integers = unpackIntegers<int8_t>(bytes);
    return;
  case OnnxType::uint16:
    result.integers = unpackIntegers<uint16_t>(bytes);
    return;
  case OnnxType::int16:
    result.integers = unpackIntegers<int16_t>(bytes);
    return;
  case OnnxType::int32:
    result.integers = unpackIntegers<int32_t>(bytes);
    return;
  case OnnxType::uint32:
    result.integers = unpackIntegers<uint32_t>(bytes);
    return;
  default:
    result.integers = unpackIntegers<int64_t>(bytes);
  }
}

/// Small types travel in int32_data, halves as their bits, unsigned ones in uint64_data.
static void fillFromFields(OnnxTensor &result, const onnx::TensorProto &tensor) {
  switch (result.type) {
  case OnnxType::float32:
    result.floats.assign(tensor.float_data().begin(), tensor.float_data().end());
    return;
  case OnnxType::float64:
    for (double value : tensor.double_data())
      result.floats.push_back(static_cast<float>(value));
    return;
  case OnnxType::float16:
  case OnnxType::bfloat16:
    for (int32_t bits : tensor.int32_data())
      result.floats.push_back(result.type == OnnxType::float16 ? halfToFloat(static_cast<uint16_t>(bits))
                                                               : bfloat16ToFloat(static_cast<uint16_t>(bits)));
    return;
  case OnnxType::int64:
    result.integers.assign(tensor.int64_data().begin(), tensor.int64_data().end());
    return;
  case OnnxType::uint32:
  case OnnxType::uint64:
    for (uint64_t value : tensor.uint64_data())
      result.integers.push_back(static_cast<int64_t>(value));
    return;
  default:
    result.integers.assign(tensor.int32_data().begin(), tensor.int32_data().end());
  }
}

OnnxTensor takeTensor(onnx::TensorProto &tensor, const std::filesystem::path &folder, const std::string &where) {
  OnnxTensor result;
  result.name = tensor.name();
  result.type = static_cast<OnnxType>(tensor.data_type());
  result.shape.assign(tensor.dims().begin(), tensor.dims().end());
  if (!isFloat(result.type) && !isInteger(result.type))
    throw cannotError(where + ": its element type, " + typeName(result.type) + ", is not supported");
  if (tensor.has_segment())
    throw cannotError(where + ": tensors in segments are not supported");
  const int64_t count = elementCount(result.shape, where);
  const int64_t bytes = count * bytesPerElement(tensor.data_type());
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    fillFromBytes(result, readExternalData(tensor, folder, bytes, where));
  } else if (tensor.has_raw_data()) {
    if (static_cast<int64_t>(tensor.raw_data().size()) != bytes)
      throw inputError(where + ": it has " + std::to_string(tensor.raw_data().size()) + " bytes, its shape " +
                       shapeText(result.shape) + " asks for " + std::to_string(bytes));
    fillFromBytes(result, tensor.raw_data());
  } else {
    fillFromFields(result, tensor);
  }
  tensor.clear_raw_data();
  tensor.clear_float_data();
  const size_t values = isFloat(result.type) ? result.floats.size() : result.integers.size();
  if (static_cast<int64_t>(values) != count)
    throw inputError(where + ": it has " + std::to_string(values) + " values, its shape " + shapeText(result.shape) +
                     " asks for " + std::to_string(count));
  return result;
}

/// `values` as the bytes of elements of type T, each through `convert`.
template <typename T, typename Convert> static std::string pack(const std::vector<float> &values, Convert convert) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    T value = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

void putFloats(onnx::TensorProto &tensor, const std::vector<float> &values, const std::string &where) {
  std::string bytes;
  switch (static_cast<OnnxType>(tensor.data_type())) {
  case OnnxType::float32:
    bytes = pack<float>(values, [](float value) { return value; });
    break;
  case OnnxType::float64:
    bytes = pack<double>(values, [](float value) { return static_cast<double>(value); });
    break;
  case OnnxType::float16:
    bytes = pack<uint16_t>(values, floatToHalf);
    break;
  case OnnxType::bfloat16:
    bytes = pack<uint16_t>(values, floatToBfloat16);
    break;
  default:
    throw inputError(where + ": its element type, " + typeName(static_cast<OnnxType>(tensor.data_type())) +
                     ", cannot hold trained weights");
  }
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
  tensor.set_raw_data(std::move(bytes));
}

} // namespace partyline
