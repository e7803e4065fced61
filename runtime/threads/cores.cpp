//===- cores.cpp ----------------------------------------------------------===//
//
// Phones have cores of two or three kinds. Every loop of a step waits for its slowest thread, so a thread on a slow
// core costs what the fast ones gain.
//
//===----------------------------------------------------------------------===//
#include "runtime/threads/cores.h"

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <string>

namespace partyline::runtime {

/// 0 where the system does not tell.
static long readNumber(const std::filesystem::path &file) {
  long number = 0;
  std::ifstream(file) >> number;
  return number;
}

std::vector<int> fastestCores(const std::vector<int> &allowed, int count, const std::filesystem::path &cpus) {
  if (count < 1 || size_t(count) >= allowed.size())
    return {};
  for (const char *figure : {"cpu_capacity", "cpufreq/cpuinfo_max_freq"}) {
    std::vector<std::pair<long, int>> cores; // fastest first, then by number
    for (int core : allowed)
      cores.emplace_back(-readNumber(cpus / ("cpu" + std::to_string(core)) / figure), core);
    std::sort(cores.begin(), cores.end());
    if (cores.front().first == cores.back().first || cores.back().first == 0)
      continue; // equal, or not told of all
    std::vector<int> fastest;
    for (int i = 0; i < count; ++i)
      fastest.push_back(cores[size_t(i)].second);
    return fastest;
  }
  return {};
}

void keepToFastestCores(int count) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return; // more cores than the set holds
  std::vector<int> allowed;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set))
      allowed.push_back(core);
  const std::vector<int> fastest = fastestCores(allowed, count, kCpuFolder);
  if (fastest.empty())
    return;
  CPU_ZERO(&set);
  for (int core : fastest)
    CPU_SET(core, &set);
  sched_setaffinity(0, sizeof(set), &set); // a wish: without it the step is as right, and slower
}

} // namespace partyline::runtime
