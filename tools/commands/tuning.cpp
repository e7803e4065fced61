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

/// Turns of a candidate and the formulas.
constexpr int kTurns = 5;

/// A candidate must be faster by this to be taken: less is noise.
constexpr double kWorthwhile = 0.97;

/// What is known of a class. Kernels go by the symbols that the formulas give them.
struct ClassTuning {
  std::string device;
  codegen::MeasuredCandidates measured;
  std::map<std::string, int64_t> chosen;            ///< of the kernels that have candidates
  std::set<std::string> open;                       ///< not measured yet
  std::map<std::string, std::vector<double>> share; ///< of candidates 1, 2...: their time over the formula's
  std::map<std::string, std::string> ops;           ///< the name of one op that calls the kernel
};

struct StepTimes {
  double step = 0;                                     ///< ms
  std::vector<std::pair<std::string, double>> kernels; ///< symbol and ms of every op
  std::vector<std::string> ops;                        ///< their names
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
      measure(candidate, most);
    for (ClassTuning &tuning : classes)
      choose(tuning);
    if (most > 1)
      report();
    return choice();
  }

private:
  void buildFormulas();
  void measure(int64_t candidate, int64_t most);
  void choose(ClassTuning &tuning);
  void report();
  codegen::DeviceChoice choice() const;
  StepTimes timeStep(const fs::path &party, const std::string &device) const;

  const Cluster &cluster;
  const BuildCandidates &build;
  const bool verbose;
  const std::map<std::string, int64_t> counts = codegen::candidateCounts();
  const codegen::TemporaryFolder work{"partyline-tune"};
  const fs::path formulas = work.path() / "formulas.party", other = work.path() / "other.party";
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
      formulas);
  const Manifest manifest = readManifest((formulas / "manifest.json").string());
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
  times.step = bench.at("step").at("ms").get<double>();
  for (const nlohmann::json &op : bench.at("ops")) {
    times.kernels.emplace_back(op.at("kernel").get<std::string>(), op.at("ms").get<double>());
    times.ops.push_back(op.at("op").get<std::string>());
  }
  return times;
}

static void showTurn(const std::string &device, int64_t candidate, int64_t most, int turn) {
  const bool live = isatty(STDERR_FILENO);
  if (live || turn == kTurns)
    fprintf(stderr, "%stuning %s: candidate %lld of %lld, turn %d of %d%s", live ? "\r" : "", device.c_str(),
            (long long)candidate, (long long)most - 1, turn, kTurns, turn == kTurns ? "\n" : "");
}

// Times all open kernels' candidate of this number, in turns with the formulas'.
void Tuner::measure(int64_t candidate, int64_t most) {
  const codegen::DeviceChoice sofar = choice();
  std::map<std::string, std::set<std::string>> tried;
  for (const ClassTuning &tuning : classes)
    for (const std::string &symbol : tuning.open)
      if (candidate < counts.at(codegen::familyOf(symbol)))
        tried[tuning.device].insert(symbol);
  build([&](const std::string &device,
            const std::string &symbol) { return tried[device].count(symbol) ? candidate : sofar(device, symbol); },
        other);
  for (ClassTuning &tuning : classes) {
    std::map<std::string, std::vector<double>> shares;
    for (int turn = 1; turn <= kTurns; ++turn) {
      const StepTimes before = timeStep(formulas, tuning.device), after = timeStep(other, tuning.device);
      // The ops of both stand in the same order.
      std::map<std::string, std::pair<double, double>> sums;
      for (auto [was, is, op] : llvm::zip_equal(before.kernels, after.kernels, before.ops)) {
        sums[was.first].first += was.second;
        sums[was.first].second += is.second;
        tuning.ops[was.first] = op;
      }
      for (const auto &[symbol, times] : sums)
        shares[symbol].push_back(times.second / times.first);
      showTurn(tuning.device, candidate, most, turn);
    }
    for (const std::string &symbol : tried[tuning.device])
      if (shares.count(symbol)) // evaluation's own kernels are not timed
        tuning.share[symbol].push_back(runtime::median(shares[symbol]));
  }
}

void Tuner::choose(ClassTuning &tuning) {
  for (const std::string &symbol : tuning.open) {
    const std::vector<double> &share = tuning.share[symbol];
    const auto fastest = std::min_element(share.begin(), share.end());
    if (fastest != share.end() && *fastest < kWorthwhile)
      tuning.chosen[symbol] = fastest - share.begin() + 1;
    tuning.measured.record(symbol, tuning.chosen[symbol]);
    if (!verbose || share.empty())
      continue;
    printf("%s: candidate %lld for %s (%s): 1", tuning.device.c_str(), (long long)tuning.chosen[symbol], symbol.c_str(),
           tuning.ops[symbol].c_str());
    for (double value : share)
      printf(" %.2f", value);
    printf(" of the formulas' time\n");
  }
}

// How much faster the whole step became.
void Tuner::report() {
  build(choice(), other);
  for (const ClassTuning &tuning : classes) {
    std::vector<double> before, after;
    for (int turn = 0; turn < kTurns; ++turn) {
      before.push_back(timeStep(formulas, tuning.device).step);
      after.push_back(timeStep(other, tuning.device).step);
    }
    const int64_t others = std::count_if(tuning.chosen.begin(), tuning.chosen.end(),
                                         [](const auto &kernel) { return kernel.second != 0; });
    printf("%s: other schedules for %lld of %zu kernels: a step takes %.1f ms, before %.1f ms (medians of %d turns)\n",
           tuning.device.c_str(), (long long)others, tuning.chosen.size(), runtime::median(after),
           runtime::median(before), kTurns);
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
