//===- ring_allreduce.h - sums over all ranks along a ring ----------------===//
//
// Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009. The values are cut
// into p chunks. In p-1 steps every rank passes a chunk to its right neighbour and adds what comes from the left;
// then rank r holds the sum of chunk r+1, and in p-1 more steps the sums go round. Each rank sends 2(p-1)/p of the
// bytes: no algorithm sends less. Its weakness is 2(p-1) message latencies, which hurt where buckets are small.
//
// Chunk c is summed in the order of ranks c, c+1, ..., c-1 whatever the timing, and every rank gets the owner's bytes:
// results are the same to the bit on all ranks and in every run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/communication/communicator.h"

#include <vector>

namespace partyline::runtime {

class RingAllreduce {
public:
  /// `largestCount`: of the calls to come; sets the size of the scratch memory (see shared/footprint.h).
  RingAllreduce(Communicator &communicator, int64_t largestCount);

  /// Replaces values[0, count) by their sums over all ranks. Every rank calls it with the same count.
  void sum(float *values, int64_t count);

private:
  struct Piece;
  void pass(float *values, const std::vector<Piece> &pieces, bool add);

  Communicator &communicator;
  std::vector<float> scratch; ///< two pieces
};

} // namespace partyline::runtime
