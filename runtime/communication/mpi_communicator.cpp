//===- mpi_communicator.cpp -----------------------------------------------===//
#include "runtime/communication/mpi_communicator.h"

#include "runtime/shared/error.h"

#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <thread>

namespace partyline::runtime {

MpiSession::MpiSession() {
  int provided = 0;
  // The reducer's thread and the main thread call it, and neither knows when the other does.
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE)
    throw runError("this MPI was built without MPI_THREAD_MULTIPLE, which the worker needs");
}

MpiSession::~MpiSession() { MPI_Finalize(); }

MpiCommunicator::MpiCommunicator(double timeLimitSeconds) : timeLimit(timeLimitSeconds) {
  MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  MPI_Comm_rank(communicator, &ownRank);
  MPI_Comm_size(communicator, &ranks);
}

MpiCommunicator::~MpiCommunicator() { MPI_Comm_free(&communicator); }

void MpiCommunicator::fail(int status, const char *what) const {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw runError(std::string(what) + " failed between this rank and " +
                 describe(current.from >= 0 ? current.from : current.to) + ": " + std::string(text, size_t(length)));
}

void MpiCommunicator::abortJob(const std::string &message, int exitCode) const {
  std::fprintf(stderr, "error: %s: %s\n", describe(ownRank).c_str(), message.c_str());
  // Ranks that found the same trouble at the same time get to say so.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  MPI_Abort(MPI_COMM_WORLD, exitCode);
  std::_Exit(exitCode);
}

void MpiCommunicator::start(const Exchange &exchange) {
  current = exchange;
  started = Clock::now();
  int status = MPI_SUCCESS;
  if (exchange.receiveBytes > 0)
    status = MPI_Irecv(exchange.receive, int(exchange.receiveBytes), MPI_BYTE, exchange.from, int(exchange.tag),
                       communicator, &requests[1]);
  if (status != MPI_SUCCESS)
    fail(status, "receiving");
  if (exchange.sendBytes > 0)
    status = MPI_Isend(exchange.send, int(exchange.sendBytes), MPI_BYTE, exchange.to, int(exchange.tag), communicator,
                       &requests[0]);
  if (status != MPI_SUCCESS)
    fail(status, "sending");
}

bool MpiCommunicator::poll() {
  checkCancelled();
  int done = 0;
  const int status = MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
  if (status != MPI_SUCCESS)
    fail(status, "an exchange");
  if (!done)
    checkTimeLimit();
  return done != 0;
}

void MpiCommunicator::finish() {
  // Yield first: most waits are short. Then sleep: a core that waits for a slower phone is better left to the kernels.
  for (int tries = 0; !poll(); ++tries) {
    if (tries < 200)
      sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(tries < 2000 ? 20 : 200));
  }
}

void MpiCommunicator::checkTimeLimit() const {
  const double waited = std::chrono::duration<double>(Clock::now() - started).count();
  if (timeLimit <= 0 || waited < timeLimit)
    return;
  const bool receiving = requests[1] != MPI_REQUEST_NULL;
  throw runError(
      "waited " + std::to_string(int(waited)) + " s for " +
      (receiving ? "a message from " + describe(current.from) : describe(current.to) + " to take a message") +
      "; it, or one that it waits for, is frozen or cannot be reached (--watchdog sets the limit)");
}

} // namespace partyline::runtime
