//===- planner/arena_validate.cpp - checks an arena by a sweep ------------===//
//
// Walks through time with the live buffers kept in order of offset. As long as these do not overlap, a buffer that is
// born can only collide with its neighbours below and above. Shares no code with the solver.
//
//===----------------------------------------------------------------------===//
#include "passes/planner/arena.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace partyline::planner {

std::optional<std::string> validateArena(const ArenaProblem &problem, const ArenaSolution &solution) {
  const auto &buffers = problem.buffers;
  const auto &offsets = solution.offsets;
  if (offsets.size() != buffers.size())
    return fmt::format("{} offsets for {} buffers", offsets.size(), buffers.size());

  struct Event {
    int64_t time;
    bool birth; // deaths come first: lifetimes are half-open
    size_t buffer;
    auto operator<=>(const Event &) const = default;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] % problem.alignment != 0)
      return fmt::format("buffer {} has offset {}, which is no multiple of {}", buffers[i].id, offsets[i],
                         problem.alignment);
    if (offsets[i] + buffers[i].size > solution.height)
      return fmt::format("buffer {} ends at {}, above the arena's height {}", buffers[i].id,
                         offsets[i] + buffers[i].size, solution.height);
    if (buffers[i].size > 0) {
      events.push_back({buffers[i].lower, true, i});
      events.push_back({buffers[i].upper, false, i});
    }
  }
  std::sort(events.begin(), events.end());

  std::map<int64_t, size_t> live; // offset -> buffer
  for (const Event &event : events) {
    const size_t i = event.buffer;
    if (!event.birth) {
      live.erase(offsets[i]);
      continue;
    }
    auto overlap = [&](size_t other) {
      return fmt::format("buffers {} and {} live together at {} and overlap", buffers[other].id, buffers[i].id,
                         event.time);
    };
    auto above = live.lower_bound(offsets[i]);
    if (above != live.end() && above->first < offsets[i] + buffers[i].size)
      return overlap(above->second);
    if (above != live.begin()) {
      auto below = std::prev(above);
      if (below->first + buffers[below->second].size > offsets[i])
        return overlap(below->second);
    }
    live.emplace(offsets[i], i);
  }
  return std::nullopt;
}

} // namespace partyline::planner
