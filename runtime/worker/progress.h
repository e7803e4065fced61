//===- progress.h - how far a run is, and how long it still takes ---------===//
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace partyline::runtime {

/// Lines for a person on stderr: one that is rewritten on a terminal, now and then a new one elsewhere. Rank 0's alone.
class Progress {
public:
  /// `how`: auto, live, plain or none. Under mpirun a terminal cannot be told, so auto is plain there.
  Progress(const std::string &how, bool show);

  /// `total` steps to do in this run, `done` of them done; `text` says what they reached.
  void step(int64_t done, int64_t total, const std::string &text);

  /// A line that stays.
  void line(const std::string &text);

  /// Clears the live line.
  void finish();

private:
  using Clock = std::chrono::steady_clock;
  enum class Mode { live, plain, none };
  Mode mode;
  size_t written = 0; ///< characters of the live line on the screen
  Clock::time_point begin = Clock::now(), shown;
};

/// "1 h 02 min", "3 min 05 s", "12 s".
std::string durationText(double seconds);

} // namespace partyline::runtime
