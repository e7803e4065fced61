//===- frontend/onnx_writer.cpp - ModelProto to disk ----------------------===//

#include "frontend/onnx_file.h"
#include "runtime/shared/error.h"
#include "runtime/shared/file.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <climits>
#include <exception>

namespace fs = std::filesystem;

namespace partyline {

namespace {

/// Lets protobuf write to an AtomicFile. Its Error waits: the adaptor's destructor must not throw.
class FileStream : public google::protobuf::io::CopyingOutputStream {
public:
  explicit FileStream(AtomicFile &file) : file(file) {}
  bool Write(const void *bytes, int count) override {
    try {
      if (!failure)
        file.write(bytes, static_cast<size_t>(count));
    } catch (...) {
      failure = std::current_exception();
    }
    return !failure;
  }
  void throwIfFailed() const {
    if (failure)
      std::rethrow_exception(failure);
  }

private:
  AtomicFile &file;
  std::exception_ptr failure;
};

} // namespace

/// Moves the data of all large tensors to `file`, which lies beside the model under the name `location`.
static void moveDataOut(onnx::ModelProto &model, const std::string &location, AtomicFile &file) {
  constexpr size_t worthMoving = 1024;
  constexpr int64_t alignment = 4096; // so that readers may map the file
  int64_t offset = 0;
  forEachTensor(*model.mutable_graph(), [&](onnx::TensorProto &tensor) {
    if (tensor.raw_data().size() < worthMoving)
      return;
    const int64_t aligned = (offset + alignment - 1) / alignment * alignment;
    const std::string padding(static_cast<size_t>(aligned - offset), '\0');
    file.write(padding.data(), padding.size());
    file.write(tensor.raw_data().data(), tensor.raw_data().size());
    auto add = [&](const std::string &key, const std::string &value) {
      auto *entry = tensor.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", location);
    add("offset", std::to_string(aligned));
    add("length", std::to_string(tensor.raw_data().size()));
    offset = aligned + static_cast<int64_t>(tensor.raw_data().size());
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  });
}

void writeModelProto(onnx::ModelProto model, const fs::path &path, int64_t mostInlineBytes) {
  if (static_cast<int64_t>(model.ByteSizeLong()) > mostInlineBytes) {
    const fs::path data = path.string() + ".data";
    AtomicFile file(data.string());
    moveDataOut(model, data.filename().string(), file);
    file.commit();
  }
  if (model.ByteSizeLong() > INT_MAX)
    throw cannotError(path.string() + ": the model is larger than 2 GiB without its weights");
  AtomicFile file(path.string());
  FileStream stream(file);
  {
    google::protobuf::io::CopyingOutputStreamAdaptor adaptor(&stream);
    model.SerializeToZeroCopyStream(&adaptor);
  }
  stream.throwIfFailed();
  file.commit();
}

} // namespace partyline
