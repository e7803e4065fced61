//===- agreement.h - all ranks go on, or none does ------------------------===//
#pragma once

#include "runtime/communication/communicator.h"
#include "runtime/shared/error.h"

#include <functional>

namespace partyline::runtime {

/// What all ranks know to have failed: rank 0 reports it, all end in good order with the same exit code.
class AgreedError : public Error {
public:
  using Error::Error;
};

/// Runs a part of starting up on every rank, and compares notes: where it threw an Error on any rank, all throw an
/// AgreedError; rank 0's tells what went wrong where, and the same thing on many ranks once.
void agree(Communicator &communicator, const std::function<void()> &work);

} // namespace partyline::runtime
