//===- cores.h - which cores the worker's threads run on ------------------===//
#pragma once

#include <filesystem>
#include <vector>

namespace partyline::runtime {

/// What Linux tells of the cores.
inline const char *const kCpuFolder = "/sys/devices/system/cpu";

/// Of the cores in `allowed` the `count` fastest, where some are faster than others: by their capacity, or by their
/// highest clock where the system does not tell it. Empty: there is nothing to choose.
std::vector<int> fastestCores(const std::vector<int> &allowed, int count, const std::filesystem::path &cpus);

/// Keeps this thread, and those that it starts, to the `count` fastest cores that the process may use. On a machine of
/// equal cores it leaves them to the system: several ranks may share them.
void keepToFastestCores(int count);

} // namespace partyline::runtime
