//===- codegen/kernel_library.cpp - from kernel specs to objects ----------===//

#include "codegen/kernel_library.h"

#include "codegen/kernel_cache.h"
#include "codegen/subprocess.h"
#include "runtime/shared/error.h"
#include "runtime/shared/hash.h"

#include "llvm/ADT/StringRef.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

namespace fs = std::filesystem;

namespace partyline::codegen {
namespace {

constexpr const char *kGeneratorName = "partyline-kernelgen";

nlohmann::json toJson(const KernelSpec &spec) {
  nlohmann::json parameters = nlohmann::json::object();
  for (const auto &[name, value] : spec.parameters)
    std::visit([&, &name = name](const auto &v) { parameters[name] = v; }, value);
  return {{"family", spec.family}, {"parameters", parameters}};
}

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The Error for a generator that did not end well: its own message, and its own exit code where it is one of ours.
Error generatorError(const std::string &what, const ProcessResult &result) {
  std::string message = what;
  if (result.status > 128)
    message += ": " + std::string(kGeneratorName) + " was ended by signal " + std::to_string(result.status - 128);
  if (llvm::StringRef errors = llvm::StringRef(result.errors).rtrim(); !errors.empty())
    message += ":\n" + errors.str();
  return Error(result.status == kWrongInput || result.status == kCannot ? ExitCode(result.status) : kFailed, message);
}

/// Has the generator make `missing` and puts each object into the cache as it comes.
void generateMissing(const std::map<std::string, const KernelSpec *> &missing, const std::string &target,
                     const fs::path &generator, const KernelCache &cache, unsigned jobs,
                     const KernelProgress &progress) {
  KernelCache::ScratchFolder scratch(cache);
  const fs::path request = scratch.path / "kernels.json";
  nlohmann::json specs = nlohmann::json::array();
  for (const auto &[symbol, spec] : missing) {
    specs.push_back(toJson(*spec));
    specs.back()["symbol"] = symbol;
  }
  std::ofstream out(request);
  out << specs.dump(1) << "\n";
  out.close();
  if (!out)
    throw runError(request.string() + ": cannot be written");

  size_t done = 0;
  auto onLine = [&](const std::string &line) {
    const std::string symbol = line.substr(0, line.find(' ')); // lines are "SYMBOL FAMILY SECONDS s"
    if (!missing.count(symbol))
      return;
    cache.add(symbol, scratch.path / (symbol + ".o"));
    if (progress)
      progress(++done, missing.size());
  };
  const ProcessResult result = runProcess({generator.string(), "--target", target, "--output", scratch.path.string(),
                                           "--jobs", std::to_string(jobs), request.string()},
                                          onLine);
  if (result.status != 0)
    throw generatorError("the kernels for target " + target + " could not be generated", result);
  for (const auto &entry : missing)
    if (!cache.holds(entry.first))
      throw runError("internal error: " + std::string(kGeneratorName) + " did not make kernel " + entry.first);
}

} // namespace

std::string canonicalJson(const KernelSpec &spec) { return toJson(spec).dump(); }

std::string kernelSymbol(const KernelSpec &spec) {
  const std::string text = canonicalJson(spec);
  return spec.family + "_" + hashBytes(text.data(), text.size()).substr(0, 16);
}

fs::path findKernelGenerator() {
  const std::string chosen = variable("PARTYLINE_KERNELGEN");
  std::error_code error;
  if (!chosen.empty()) {
    if (!fs::is_regular_file(chosen, error))
      throw inputError("PARTYLINE_KERNELGEN names " + chosen + ", which is no file");
    return fs::absolute(chosen);
  }
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path candidates[] = {beside / kGeneratorName,
                                 beside.parent_path() / "libexec" / "partyline" / kGeneratorName};
  for (const fs::path &candidate : candidates)
    if (fs::is_regular_file(candidate, error))
      return candidate;
  throw runError(std::string(kGeneratorName) + " is neither " + candidates[0].string() + " nor " +
                 candidates[1].string() + "; set PARTYLINE_KERNELGEN to where it is");
}

fs::path cacheFolder() {
  if (const std::string chosen = variable("PARTYLINE_CACHE"); !chosen.empty())
    return fs::absolute(chosen);
  if (const std::string caches = variable("XDG_CACHE_HOME"); !caches.empty())
    return fs::path(caches) / "partyline";
  const std::string home = variable("HOME");
  if (home.empty())
    throw inputError("there is no HOME to keep kernels in; set PARTYLINE_CACHE to a folder");
  return fs::path(home) / ".cache" / "partyline";
}

std::string resolveTarget(const std::string &target) {
  std::string resolved;
  const ProcessResult result =
      runProcess({findKernelGenerator().string(), "--resolve-target", target}, [&](const std::string &line) {
        if (resolved.empty())
          resolved = llvm::StringRef(line).trim().str();
      });
  if (result.status != 0 || resolved.empty())
    throw generatorError("target '" + target + "' is not understood", result);
  return resolved;
}

std::vector<fs::path> generateKernels(const std::vector<KernelSpec> &specs, const std::string &target, unsigned jobs,
                                      const KernelProgress &progress) {
  const fs::path generator = findKernelGenerator();
  const KernelCache cache(cacheFolder(), generator, target);
  std::map<std::string, const KernelSpec *> distinct, missing;
  for (const KernelSpec &spec : specs)
    distinct.emplace(kernelSymbol(spec), &spec);
  std::vector<fs::path> objects;
  for (const auto &[symbol, spec] : distinct) {
    objects.push_back(cache.entry(symbol));
    if (!cache.holds(symbol))
      missing.emplace(symbol, spec);
  }
  if (!missing.empty())
    generateMissing(missing, target, generator, cache, jobs ? jobs : std::max(1u, std::thread::hardware_concurrency()),
                    progress);
  return objects;
}

} // namespace partyline::codegen
