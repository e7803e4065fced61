//===- tools/commands/tuning.cpp - compile --tune -------------------------===//
#include "tools/commands/tuning.h"
#include "tools/commands/launcher.h"

#include "codegen/candidates.h"
#include "codegen/kernel_library.h"
#include "codegen/temporary_file.h"
#include "runtime/bench/bench.h"
#include "runtime/shared/error.h"
#include "runtime/shared/hash.h"
#include "runtime/shared/manifest_json.h"

#include "llvm/ADT/STLExtras.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <thread>

namespace fs = std::filesystem;

namespace partyline::commands {

namespace {

/// Turns of all candidates.
constexpr int kTurns = 3;

/// A candidate must be faster by this in every turn to be taken: else it is noise.
constexpr double kWorthwhile = 0.97;

/// What is known of a class. Kernels go by the symbols that the formulas give them.
struct ClassTuning {
  std::string device;
  codegen::MeasuredCandidates measured;
  std::map<std::string, int64_t> chosen;            ///< of the kernels that have candidates
  std::set<std::string> open;                       ///< not measured yet
  std::map<std::string, std::vector<double>> share; ///< of candidates 1, 2...: their most time over the formula's
  std::map<std::string, std::string> ops;           ///< the name of one op that calls the kernel
};

/// In operations that the machine could have done meanwhile: its speed moves from run to run by more than what is to be
/// seen, and what is tuned computes.
struct StepTimes {
  struct Op {
    std::string name, kernel;
    double time;
  };
  double step = 0;
  std::vector<Op> ops; ///< in the order of the step, which is the same for all candidates
};

class Tuner {
public:
  Tuner(const Cluster &cluster, const BuildCandidates &build, bool verbose)
      : cluster(cluster), build(build), verbose(verbose) {}

  codegen::DeviceChoice run() {
    buildFormulas();
    int64_t most = 1;
    for (const ClassTuning &tuning : classes)
      for (const std::string &symbol : tuning.open)
        most = std::max(most, counts.at(codegen::familyOf(symbol)));
    for (int64_t candidate = 1; candidate < most; ++candidate)
      buildOpen(candidate);
    for (ClassTuning &tuning : classes)
      if (!tuning.open.empty()) {
        measure(tuning, most);
        choose(tuning);
      }
    if (most > 1)
      keepWhatPays();
    for (ClassTuning &tuning : classes)
      for (const std::string &symbol : tuning.open)
        tuning.measured.record(symbol, tuning.chosen[symbol]);
    return choice();
  }

private:
  void buildFormulas();
  void buildOpen(int64_t candidate);
  void measure(ClassTuning &tuning, int64_t most);
  void choose(ClassTuning &tuning);
  void keepWhatPays();
  codegen::DeviceChoice choice() const;
  /// What has this candidate of every open kernel.
  fs::path party(int64_t candidate) const {
    return work.path() / ("candidate-" + std::to_string(candidate) + ".party");
  }
  StepTimes timeStep(const fs::path &party, const std::string &device) const;

  const Cluster &cluster;
  const BuildCandidates &build;
  const bool verbose;
  const std::map<std::string, int64_t> counts = codegen::candidateCounts();
  const codegen::TemporaryFolder work{"partyline-tune"};
  std::vector<ClassTuning> classes;
};

} // namespace

// What tells cores apart, of /proc/cpuinfo: the first of each.
static std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  std::map<std::string, std::string> lines;
  for (std::string line; std::getline(in, line);)
    for (const char *key : {"model name", "CPU implementer", "CPU variant", "CPU part", "Hardware"})
      if (line.rfind(key, 0) == 0)
        lines.emplace(key, line);
  std::string text;
  for (const auto &[key, line] : lines)
    text += line + "\n";
  return text;
}

// All that may move which candidate is fastest.
static std::string conditionsOf(const ManifestClass &deviceClass, const std::string &runner) {
  return hashFile(codegen::findKernelGenerator().string()) + "\n" + deviceClass.target + "\n" + runner + "\n" +
         processor() + std::to_string(std::thread::hardware_concurrency()) + " cores, " +
         std::to_string(deviceClass.threads) + " threads, micro-batch " + std::to_string(deviceClass.microBatch);
}

// The step as the formulas have it; fills in the classes and what the cache knows of them.
void Tuner::buildFormulas() {
  std::map<std::string, std::set<std::string>> kernels;
  build(
      [&](const std::string &device, const std::string &symbol) {
        if (counts.count(codegen::familyOf(symbol)))
          kernels[device].insert(symbol);
        return 0;
      },
      party(0));
  const Manifest manifest = readManifest((party(0) / "manifest.json").string());
  for (const ManifestClass &deviceClass : manifest.classes) {
    const std::string runner = cluster.devices.at(deviceClass.name).runner;
    if (runner.empty() && !runsHere(deviceClass.target))
      throw inputError("compile --tune: class '" + deviceClass.name + "' is for " + deviceClass.target +
                       ", which this machine cannot run: tune on one that can, or name a runner in the cluster file");
    ClassTuning tuning{deviceClass.name, {codegen::cacheFolder(), conditionsOf(deviceClass, runner)}, {}, {}, {}, {}};
    for (const std::string &symbol : kernels[deviceClass.name]) {
      const std::optional<int64_t> fastest = tuning.measured.fastest(symbol);
      tuning.chosen[symbol] = fastest.value_or(0);
      if (!fastest)
        tuning.open.insert(symbol);
    }
    classes.push_back(std::move(tuning));
  }
}

StepTimes Tuner::timeStep(const fs::path &party, const std::string &device) const {
  const fs::path file = work.path() / "bench.json";
  if (launchOneWorker(party, device,
                      {"bench", party.string(), "--class", device, "--seconds", "0.2", "--json", file.string(),
                       "--progress", "none"},
                      Output::dropped) != kDone)
    throw runError("compile --tune: the step for class '" + device + "' does not run here");
  std::ifstream in(file);
  const nlohmann::json bench = nlohmann::json::parse(in);
  StepTimes times;
  const double peak = bench.at("peak").at("gflop_per_s").get<double>();
  times.step = peak * bench.at("step").at("ms").get<double>();
  for (const nlohmann::json &op : bench.at("ops"))
    times.ops.push_back(
        {op.at("op").get<std::string>(), op.at("kernel").get<std::string>(), peak * op.at("ms").get<double>()});
  return times;
}

void Tuner::buildOpen(int64_t candidate) {
  const codegen::DeviceChoice known = choice();
  std::map<std::string, std::set<std::string>> tried;
  for (const ClassTuning &tuning : classes)
    for (const std::string &symbol : tuning.open)
      if (candidate < counts.at(codegen::familyOf(symbol)))
        tried[tuning.device].insert(symbol);
  build([&](const std::string &device,
            const std::string &symbol) { return tried[device].count(symbol) ? candidate : known(device, symbol); },
        party(candidate));
  // The weights are the same, and may be large.
  fs::remove(party(candidate) / "parameters.bin");
  fs::create_hard_link(party(0) / "parameters.bin", party(candidate) / "parameters.bin");
}

static void showTurn(const std::string &device, int turn, int64_t candidate, int64_t last) {
  const bool live = isatty(STDERR_FILENO);
  if (live || candidate == last)
    fprintf(stderr, "%stuning %s: turn %d of %d, candidate %lld of %lld%s", live ? "\r" : "", device.c_str(), turn,
            kTurns, (long long)candidate, (long long)last, candidate == last ? "\n" : "");
}

void Tuner::measure(ClassTuning &tuning, int64_t most) {
  std::map<std::string, std::map<int64_t, std::vector<double>>> shares; // by symbol and candidate, of every turn
  for (int turn = 1; turn <= kTurns; ++turn) {
    const StepTimes formulas = timeStep(party(0), tuning.device);
    for (int64_t candidate = 1; candidate < most; ++candidate) {
      const StepTimes other = timeStep(party(candidate), tuning.device);
      std::map<std::string, std::pair<double, double>> sums;
      for (const auto &[was, is] : llvm::zip_equal(formulas.ops, other.ops)) {
        sums[was.kernel].first += was.time;
        sums[was.kernel].second += is.time;
        tuning.ops[was.kernel] = was.name;
      }
      for (const auto &[symbol, times] : sums)
        shares[symbol][candidate].push_back(times.second / times.first);
      showTurn(tuning.device, turn, candidate, most - 1);
    }
  }
  for (const std::string &symbol : tuning.open)
    for (const auto &[candidate, ofTurns] : shares[symbol]) // none of a kernel that evaluation alone calls
      if (candidate < counts.at(codegen::familyOf(symbol)))
        tuning.share[symbol].push_back(*std::max_element(ofTurns.begin(), ofTurns.end()));
}

void Tuner::choose(ClassTuning &tuning) {
  for (const std::string &symbol : tuning.open) {
    const std::vector<double> &share = tuning.share[symbol];
    const auto fastest = std::min_element(share.begin(), share.end());
    if (fastest != share.end() && *fastest < kWorthwhile)
      tuning.chosen[symbol] = fastest - share.begin() + 1;
    if (!verbose || share.empty())
      continue;
    printf("%s: candidate %lld for %s (%s): 1", tuning.device.c_str(), (long long)tuning.chosen[symbol], symbol.c_str(),
           tuning.ops[symbol].c_str());
    for (double value : share)
      printf(" %.2f", value);
    printf(" of the formulas' time\n");
  }
}

// Says how much faster the whole step became. Where it did not, nothing is taken of what was measured now: kernels that
// win alone may lose together, in the caches that they share. What was known before stays, and is not timed again.
void Tuner::keepWhatPays() {
  const fs::path tuned = work.path() / "tuned.party";
  build(choice(), tuned);
  for (ClassTuning &tuning : classes) {
    if (tuning.open.empty())
      continue;
    std::vector<double> ratios;
    for (int turn = 0; turn < kTurns; ++turn) {
      const double before = timeStep(party(0), tuning.device).step;
      ratios.push_back(timeStep(tuned, tuning.device).step / before);
    }
    const double ratio = runtime::median(ratios);
    const int64_t others = std::count_if(tuning.chosen.begin(), tuning.chosen.end(),
                                         [](const auto &kernel) { return kernel.second != 0; });
    printf("%s: other schedules for %lld of %zu kernels: a step takes %.0f %% of the time that it took (median of %d "
           "turns)%s\n",
           tuning.device.c_str(), (long long)others, tuning.chosen.size(), 100 * ratio, kTurns,
           others > 0 && ratio >= 1 ? ": not faster, none measured now is taken" : "");
    if (ratio >= 1)
      for (const std::string &symbol : tuning.open)
        tuning.chosen[symbol] = 0;
  }
}

codegen::DeviceChoice Tuner::choice() const {
  std::map<std::string, std::map<std::string, int64_t>> chosen;
  for (const ClassTuning &tuning : classes)
    chosen[tuning.device] = tuning.chosen;
  return [chosen](const std::string &device, const std::string &symbol) {
    const std::map<std::string, int64_t> &candidates = chosen.at(device);
    const auto found = candidates.find(symbol);
    return found == candidates.end() ? 0 : found->second;
  };
}

codegen::DeviceChoice tuneKernels(const Cluster &cluster, const BuildCandidates &build, bool verbose) {
  return Tuner(cluster, build, verbose).run();
}

} // namespace partyline::commands
