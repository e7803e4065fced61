//===- error.h - errors a user can act on ---------------------------------===//
#pragma once

#include <stdexcept>
#include <string>

namespace partyline {

/// Exit codes of every command (see README).
enum ExitCode { kDone = 0, kFailed = 1, kWrongInput = 2, kCannot = 3 };

/// A message for the user that names the file, node or line and says what to do, with the exit code it leads to.
class Error : public std::runtime_error {
public:
  Error(ExitCode exitCode, const std::string &message) : std::runtime_error(message), exitCode(exitCode) {}
  const ExitCode exitCode;
};

/// Wrong usage or input: exit code 2.
inline Error inputError(const std::string &message) { return Error(kWrongInput, message); }
/// The model or plan cannot be done: exit code 3.
inline Error cannotError(const std::string &message) { return Error(kCannot, message); }
/// Something failed while running: exit code 1.
inline Error runError(const std::string &message) { return Error(kFailed, message); }

} // namespace partyline
