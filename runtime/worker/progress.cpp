//===- progress.cpp -------------------------------------------------------===//
#include "runtime/worker/progress.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace partyline::runtime {

Progress::Progress(const std::string &how, bool show) {
  const bool terminal = isatty(STDERR_FILENO) && !std::getenv("OMPI_COMM_WORLD_SIZE");
  mode = how == "plain" || (how == "auto" && !terminal) ? Mode::plain : Mode::live;
  if (!show || how == "none")
    mode = Mode::none;
}

std::string durationText(double seconds) {
  const long whole = seconds > 0 ? long(seconds + 0.5) : 0;
  char text[64];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
  else if (whole >= 60)
    std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%ld s", whole);
  return text;
}

void Progress::step(int64_t done, int64_t total, const std::string &text) {
  if (mode == Mode::none)
    return;
  const Clock::time_point now = Clock::now();
  const auto interval = std::chrono::milliseconds(mode == Mode::live ? 100 : 2000);
  if (now - shown < interval)
    return;
  shown = now;
  const double seconds = std::chrono::duration<double>(now - begin).count();
  std::string line = text;
  if (done > 0 && done < total)
    line += ", " + durationText(seconds / double(done) * double(total - done)) + " left";
  if (mode == Mode::plain) {
    std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  const size_t length = line.size();
  if (length < written)
    line.append(written - length, ' ');
  written = length;
  std::fprintf(stderr, "\r%s", line.c_str());
  std::fflush(stderr);
}

void Progress::line(const std::string &text) {
  if (mode == Mode::none)
    return;
  finish();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Progress::finish() {
  if (written > 0)
    std::fprintf(stderr, "\r%*s\r", int(written), "");
  written = 0;
}

} // namespace partyline::runtime
