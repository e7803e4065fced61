//===- harness.cpp - compiles kernels as the compiler does, and calls them ===//
#include "tests/kernels/harness.h"

#include <HalideRuntime.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <dlfcn.h>
#include <unistd.h>

namespace {
std::atomic<int> threadCount{1};
} // namespace

// The runtime of the kernels: the worker's interface, as plain as it can be.
extern "C" {

void *halide_malloc(void *, size_t size) {
  constexpr size_t alignment = 128;
  size = (size + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, size);
  // Bytes of all ones are NaNs: scratch memory that is read before it is written must show.
  if (memory)
    std::memset(memory, 0xff, size);
  return memory;
}

void halide_free(void *, void *memory) { std::free(memory); }

int halide_do_par_for(void *context, halide_task_t task, int first, int size, uint8_t *closure) {
  std::atomic<int> next{0}, result{0};
  auto work = [&] {
    for (int i = next++; i < size; i = next++)
      if (int error = task(context, first + i, closure))
        result = error;
  };
  std::vector<std::thread> helpers;
  for (int i = 1; i < std::min(threadCount.load(), size); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  return result;
}

} // extern "C"

namespace partyline::kernels::test {

void setThreads(int threads) { threadCount = threads; }

namespace {

std::string makeFolder() {
  std::string folder = (std::filesystem::temp_directory_path() / "partyline-kernels-XXXXXX").string();
  if (!mkdtemp(folder.data()))
    throw std::runtime_error("no temporary folder");
  return folder;
}

void command(const std::string &text) {
  if (std::system(text.c_str()) != 0)
    throw std::runtime_error("failed: " + text);
}

std::string symbolOf(size_t kernel) { return "kernel" + std::to_string(kernel); }

void generate(const std::vector<KernelSpec> &kernels, const std::string &target, const std::string &folder) {
  nlohmann::json document = nlohmann::json::array();
  for (size_t i = 0; i < kernels.size(); ++i) {
    nlohmann::json parameters = nlohmann::json::object();
    for (const auto &[name, value] : kernels[i].parameters)
      std::visit([&, &key = name](const auto &held) { parameters[key] = held; }, value);
    document.push_back({{"symbol", symbolOf(i)}, {"family", kernels[i].family}, {"parameters", parameters}});
  }
  std::ofstream(folder + "/kernels.json") << document;
  command(std::string(PARTYLINE_KERNELGEN) + " --jobs 2 --target " + target + " --output " + folder + " " + folder +
          "/kernels.json > " + folder + "/log");
}

halide_type_t halideType(ElementType type) {
  switch (type) {
  case ElementType::float32:
    return {halide_type_float, 32};
  case ElementType::int32:
    return {halide_type_int, 32};
  case ElementType::uint8:
    return {halide_type_uint, 8};
  case ElementType::uint16:
    return {halide_type_uint, 16};
  }
  return {halide_type_handle, 64};
}

/// Calls a C function whose arguments are known at run time only. The calling conventions of x86-64 and arm64 number
/// integer and floating arguments separately, so each kind goes in its own row, and what is too much does no harm.
int call(void *function, const std::vector<uint64_t> &words, const std::vector<float> &reals) {
  constexpr size_t maxWords = 16, maxReals = 8;
  if (words.size() > maxWords || reals.size() > maxReals)
    throw std::invalid_argument("too many kernel arguments");
  uint64_t w[maxWords] = {};
  float f[maxReals] = {};
  std::copy(words.begin(), words.end(), w);
  std::copy(reals.begin(), reals.end(), f);
  using U = uint64_t;
  auto *callee = reinterpret_cast<int (*)(float, float, float, float, float, float, float, float, U, U, U, U, U, U, U,
                                          U, U, U, U, U, U, U, U, U)>(function);
  return callee(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8],
                w[9], w[10], w[11], w[12], w[13], w[14], w[15]);
}

} // namespace

KernelLibrary::KernelLibrary(const std::vector<KernelSpec> &kernels) : folder(makeFolder()) {
  const char *target = std::getenv("PARTYLINE_TEST_TARGET");
  generate(kernels, target ? target : "host", folder);
  const std::string library = folder + "/kernels.so";
  command("ld.lld-19 -shared -o " + library + " " + folder + "/*.o");
  handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw std::runtime_error(dlerror());
  for (size_t i = 0; i < kernels.size(); ++i)
    functions.push_back(dlsym(handle, symbolOf(i).c_str()));
}

KernelLibrary::~KernelLibrary() {
  dlclose(handle);
  std::filesystem::remove_all(folder);
}

void KernelLibrary::run(size_t kernel, const std::vector<Scalar> &scalars, const std::vector<Tensor *> &buffers) const {
  std::vector<uint64_t> words;
  std::vector<float> reals;
  for (const Scalar &scalar : scalars) {
    if (const auto *real = std::get_if<float>(&scalar))
      reals.push_back(*real);
    else if (const auto *integer = std::get_if<int32_t>(&scalar))
      words.push_back(static_cast<uint32_t>(*integer));
    else
      words.push_back(std::get<uint32_t>(scalar));
  }
  std::vector<halide_buffer_t> descriptions(buffers.size());
  std::vector<std::vector<halide_dimension_t>> dimensions(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Tensor &tensor = *buffers[i];
    for (size_t d = tensor.shape().size(); d-- > 0;)
      dimensions[i].push_back({0, tensor.shape()[d], tensor.strides()[d]});
    descriptions[i].host = buffers[i]->data<uint8_t>();
    descriptions[i].type = halideType(tensor.type());
    descriptions[i].dimensions = static_cast<int32_t>(dimensions[i].size());
    descriptions[i].dim = dimensions[i].data();
    words.push_back(reinterpret_cast<uint64_t>(&descriptions[i]));
  }
  EXPECT_EQ(call(functions.at(kernel), words, reals), 0);
  for (const Tensor *buffer : buffers)
    EXPECT_TRUE(buffer->redZonesIntact()) << "the kernel wrote outside a buffer";
}

std::vector<std::string> foreignSymbols(const std::vector<KernelSpec> &kernels, const std::string &target) {
  // What the worker publishes: Halide's hooks and a few functions of libc and libm.
  static const std::set<std::string> published = {"halide_do_par_for",
                                                  "halide_malloc",
                                                  "halide_free",
                                                  "memset",
                                                  "memcpy",
                                                  "expf",
                                                  "logf",
                                                  "tanhf",
                                                  "powf",
                                                  "sqrtf",
                                                  "floorf",
                                                  "ceilf",
                                                  "roundf",
                                                  "fmodf",
                                                  "fmaf"};
  const std::string folder = makeFolder();
  generate(kernels, target, folder);
  command("llvm-nm-19 --undefined-only --just-symbol-name --no-sort " + folder + "/*.o > " + folder + "/symbols");
  std::ifstream in(folder + "/symbols");
  std::set<std::string> foreign;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.back() != ':' && !published.contains(line))
      foreign.insert(line);
  std::filesystem::remove_all(folder);
  return {foreign.begin(), foreign.end()};
}

} // namespace partyline::kernels::test
