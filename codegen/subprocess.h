//===- codegen/subprocess.h - work in other processes ---------------------===//
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace partyline::codegen {

struct ProcessResult {
  int status = 0;     ///< exit status; 128 + the signal's number where a signal ended it
  std::string errors; ///< its stderr, or what the work said
};

/// Runs `command` (program and arguments, no shell) to its end and gives `onLine` each line of its stdout as it comes.
/// Throws an Error where the program cannot be started.
ProcessResult runProcess(const std::vector<std::string> &command,
                         const std::function<void(const std::string &line)> &onLine);

/// Runs `work` in a copy of this process: for code that can run but once, or may crash. Its value is the status; what
/// it adds to `errors` comes back, and nothing else does. No other thread of this process exists in the copy.
ProcessResult runInChild(const std::function<int(std::string &errors)> &work);

} // namespace partyline::codegen
