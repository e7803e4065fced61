//===- codegen/subprocess.h - run a program and read what it says ---------===//
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace partyline::codegen {

struct ProcessResult {
  int status = 0;     ///< exit status; 128 + the signal's number where a signal ended it
  std::string errors; ///< its stderr
};

/// Runs `command` (program and arguments, no shell) to its end and gives `onLine` each line of its stdout as it comes.
/// Throws an Error where the program cannot be started.
ProcessResult runProcess(const std::vector<std::string> &command,
                         const std::function<void(const std::string &line)> &onLine);

} // namespace partyline::codegen
