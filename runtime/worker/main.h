//===- main.h - the worker program ----------------------------------------===//
#pragma once

namespace partyline::runtime {

/// partyline-worker's main: one rank of an MPI job. Returns the exit code.
int workerMain(int argc, char **argv);

} // namespace partyline::runtime
