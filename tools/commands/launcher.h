//===- tools/commands/launcher.h - starts the workers of a cluster --------===//
#pragma once

#include "runtime/shared/manifest.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace partyline::commands {

/// Runs the workers of a cluster binary under mpirun with these arguments and waits for them: `ranks` of them on this
/// machine where the manifest names no hosts, else one per host. Returns the exit code for the command (ExitCode).
int launchWorkers(const std::filesystem::path &party, int64_t ranks, std::vector<std::string> arguments);

/// Whether programs for a Halide target run here without help, as far as its architecture and system say.
bool runsHere(const std::string &target);

/// What becomes of a worker's standard output.
enum class Output { shown, dropped };

/// Runs one worker for the class called `deviceClass` (the first where empty) on this machine, whatever the hosts are.
int launchOneWorker(const std::filesystem::path &party, const std::string &deviceClass,
                    std::vector<std::string> arguments, Output output = Output::shown);

} // namespace partyline::commands
