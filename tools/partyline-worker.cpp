//===- partyline-worker.cpp - one rank of a job ---------------------------===//
#include "runtime/worker/main.h"

int main(int argc, char **argv) { return partyline::runtime::workerMain(argc, argv); }
