//===- collectives.h - small things that all ranks do together ------------===//
//
// Flat: rank 0 talks to each of the others in turn, in rank order, so sums come out the same in every run. For a few
// numbers per step and for starting up; gradients go by ring_allreduce.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/communication/communicator.h"

namespace partyline::runtime {

/// Rank 0 gets everybody's `bytes` bytes, one after the other in rank order; the others an empty vector.
std::vector<char> gather(Communicator &communicator, const void *data, size_t bytes);

/// The same of strings of any length.
std::vector<std::string> gatherStrings(Communicator &communicator, const std::string &text);

/// Everybody gets rank 0's bytes.
void broadcast(Communicator &communicator, void *data, size_t bytes);
void broadcastString(Communicator &communicator, std::string &text);

/// The sums over the ranks of `count` numbers, added in rank order: the same on all ranks.
void sumInRankOrder(Communicator &communicator, double *values, int64_t count);

} // namespace partyline::runtime
