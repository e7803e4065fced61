//===- tools/commands/commands.h - the subcommands of partyline -----------===//
//
// Each function adds one subcommand with its options; its work runs from the command's callback and throws Error.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace partyline::commands {

void addModel(CLI::App &app);
void addPlan(CLI::App &app);
void addCompile(CLI::App &app);
void addTrain(CLI::App &app);
void addEvaluate(CLI::App &app);
void addBench(CLI::App &app);
void addExport(CLI::App &app);
void addInspect(CLI::App &app);
void addOps(CLI::App &app);

} // namespace partyline::commands
