//===- planner/memory.cpp - what a worker's memory goes to ----------------===//
#include "passes/planner/memory.h"

#include "passes/planner/units.h"

#include <algorithm>

namespace partyline::planner {

std::vector<std::pair<std::string, int64_t>> partsBySize(const MemoryBreakdown &memory) {
  std::vector<std::pair<std::string, int64_t>> parts = {
      {"parameters", memory.parameters},   {"gradients", memory.gradients},         {"optimizer", memory.optimizer},
      {"activations", memory.activations}, {"communication", memory.communication}, {"other", memory.other()}};
  std::stable_sort(parts.begin(), parts.end(), [](auto &a, auto &b) { return a.second > b.second; });
  return parts;
}

std::string describe(const MemoryBreakdown &memory) {
  std::string text;
  for (const auto &[name, bytes] : partsBySize(memory))
    if (bytes != 0)
      text += (text.empty() ? "" : ", ") + name + " " + humanBytes(bytes);
  return text;
}

} // namespace partyline::planner
