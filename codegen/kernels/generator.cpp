//===- generator.cpp - kernel specifications in, object files out ---------===//
//
// Halide compiles one kernel in half a second on one thread and keeps global state, so several are compiled in forked
// processes that take the next kernel from a shared counter.
//
//===----------------------------------------------------------------------===//
#include "codegen/kernels/generator.h"
#include "runtime/shared/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace partyline::kernels {

Halide::Target resolveTarget(const std::string &text) {
  try {
    Halide::Target target(text);
    if (target.os == Halide::Target::OSUnknown || target.arch == Halide::Target::ArchUnknown || target.bits == 0)
      throw inputError("target '" + text + "' names no complete architecture, bits and system, as arm-64-linux does");
    // The worker is the runtime; buffers are made by the compiler itself, so nothing is checked or asked at run time.
    for (auto feature : {Halide::Target::NoRuntime, Halide::Target::NoAsserts, Halide::Target::NoBoundsQuery})
      target.set_feature(feature);
    target.set_feature(Halide::Target::CPlusPlusMangling, false);
    return target;
  } catch (const Halide::Error &error) {
    throw inputError("target '" + text + "' is no Halide target: " + error.what());
  }
}

namespace {

/// A symbol is a file name and a C function.
bool isIdentifier(const std::string &symbol) {
  return !symbol.empty() && symbol.size() <= 200 && !std::isdigit(static_cast<unsigned char>(symbol[0])) &&
         std::all_of(symbol.begin(), symbol.end(),
                     [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); });
}

KernelRequest readRequest(const nlohmann::json &entry) {
  KernelRequest request;
  request.symbol = entry.at("symbol").get<std::string>();
  request.family = entry.at("family").get<std::string>();
  if (!isIdentifier(request.symbol))
    throw inputError("symbol '" + request.symbol + "' is no C identifier");
  auto family = kernelFamilies().find(request.family);
  if (family == kernelFamilies().end())
    throw inputError("there is no kernel family '" + request.family + "'; --families lists them");

  const nlohmann::json &parameters = entry.at("parameters");
  request.description = parameters.dump();
  const std::vector<std::string> &names = family->second.parameters;
  for (const auto &[name, value] : parameters.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end() &&
        (name != kCandidateParameter || family->second.candidates == 1))
      throw inputError("family '" + request.family + "' has no parameter '" + name + "'");
    if (value.is_number_integer())
      request.parameters.set(name, value.get<int64_t>());
    else if (value.is_number())
      request.parameters.set(name, value.get<double>());
    else
      request.parameters.set(name, value.get<std::string>());
  }
  if (const int candidate = request.parameters.candidate(); candidate < 0 || candidate >= family->second.candidates)
    throw inputError("family '" + request.family + "' has the candidates 0 to " +
                     std::to_string(family->second.candidates - 1) + ", not " + std::to_string(candidate));
  for (const std::string &name : names)
    if (!parameters.contains(name))
      throw inputError("family '" + request.family + "' needs the parameter '" + name + "'");
  return request;
}

} // namespace

std::vector<KernelRequest> readRequests(const std::string &file) {
  std::ifstream in(file);
  if (!in)
    throw inputError(file + ": cannot be read");
  std::vector<KernelRequest> requests;
  std::set<std::string> symbols;
  size_t index = 0;
  try {
    const nlohmann::json document = nlohmann::json::parse(in);
    if (!document.is_array())
      throw inputError("not an array of kernels");
    for (; index < document.size(); ++index) {
      requests.push_back(readRequest(document[index]));
      if (!symbols.insert(requests.back().symbol).second)
        throw inputError("symbol '" + requests.back().symbol + "' is used twice");
    }
  } catch (const std::exception &error) {
    throw inputError(file + ": kernel " + std::to_string(index) + ": " + error.what());
  }
  return requests;
}

void compileKernel(const KernelRequest &request, const Halide::Target &target, const std::string &directory) {
  const std::string object = directory + "/" + request.symbol + ".o";
  const std::string unfinished = object + "." + std::to_string(getpid()) + ".tmp";
  Kernel kernel = kernelFamilies().at(request.family).build(request.parameters, target);
  Halide::Pipeline(kernel.outputs)
      .compile_to_module(kernel.arguments, request.symbol, target, Halide::LinkageType::External)
      .compile({{Halide::OutputFileType::object, unfinished}});
  std::filesystem::rename(unfinished, object);
}

namespace {

/// Takes kernels from the counter until none is left or one has failed.
int work(const std::vector<KernelRequest> &requests, const Halide::Target &target, const std::string &directory,
         std::atomic<size_t> &next) {
  for (size_t index = next++; index < requests.size(); index = next++) {
    const KernelRequest &request = requests[index];
    const auto start = std::chrono::steady_clock::now();
    try {
      compileKernel(request, target, directory);
    } catch (const std::exception &error) {
      next = requests.size();
      std::fprintf(stderr, "partyline-kernelgen: kernel %s: family %s, parameters %s, target %s: %s\n",
                   request.symbol.c_str(), request.family.c_str(), request.description.c_str(),
                   target.to_string().c_str(), error.what());
      const auto *own = dynamic_cast<const Error *>(&error);
      return own ? own->exitCode : kFailed;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%s %s %.2f s\n", request.symbol.c_str(), request.family.c_str(), seconds);
    std::fflush(stdout);
  }
  return kDone;
}

} // namespace

int compileKernels(const std::vector<KernelRequest> &requests, const Halide::Target &target,
                   const std::string &directory, int jobs) {
  std::filesystem::create_directories(directory);
  jobs = std::max(1, std::min(jobs, static_cast<int>(requests.size())));
  if (jobs == 1) {
    std::atomic<size_t> next{0};
    return work(requests, target, directory, next);
  }

  void *memory = mmap(nullptr, sizeof(std::atomic<size_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw runError("no memory to share between jobs");
  auto *next = new (memory) std::atomic<size_t>(0);
  std::fflush(stdout);
  std::vector<pid_t> children;
  for (int job = 0; job < jobs; ++job) {
    const pid_t child = fork();
    if (child == 0)
      _exit(work(requests, target, directory, *next));
    if (child > 0)
      children.push_back(child);
  }
  // Where the system gives no process at all, this one does the work.
  int result = children.empty() ? work(requests, target, directory, *next) : kDone;
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
      std::fprintf(stderr, "partyline-kernelgen: a job was ended by signal %d\n", WTERMSIG(status));
      *next = requests.size();
      result = kFailed;
    } else if (WEXITSTATUS(status) != kDone) {
      result = WEXITSTATUS(status);
    }
  }
  munmap(memory, sizeof(std::atomic<size_t>));
  return result;
}

void printFamilies(std::ostream &out) {
  for (const auto &[name, family] : kernelFamilies()) {
    out << name << ":";
    for (const std::string &parameter : family.parameters)
      out << " " << parameter;
    if (family.candidates > 1)
      out << " " << kCandidateParameter << "<" << family.candidates;
    out << "\n";
  }
}

} // namespace partyline::kernels
