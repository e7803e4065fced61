//===- rank_threads.h - ranks as threads of a test ------------------------===//
#pragma once

#include "runtime/communication/thread_communicator.h"
#include "tests/runtime/data_files.h"

#include <exception>
#include <functional>
#include <thread>

namespace partyline::testing {

/// Runs the body once per rank, each in a thread of its own; throws again what the lowest rank threw. The second
/// communicator is for a thread of the rank's own, as the reducer's.
inline void runRanks(int ranks, const std::function<void(runtime::Communicator &, runtime::Communicator &)> &body,
                     double timeLimit = 60) {
  runtime::ThreadNetwork network(ranks, timeLimit);
  std::vector<std::exception_ptr> exceptions(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      try {
        const auto first = network.communicator(rank, 0), second = network.communicator(rank, 1);
        body(*first, *second);
      } catch (...) {
        exceptions[size_t(rank)] = std::current_exception();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::exception_ptr &exception : exceptions)
    if (exception)
      std::rethrow_exception(exception);
}

inline void runRanks(int ranks, const std::function<void(runtime::Communicator &)> &body) {
  runRanks(ranks, [&](runtime::Communicator &communicator, runtime::Communicator &) { body(communicator); });
}

} // namespace partyline::testing
