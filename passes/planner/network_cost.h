//===- planner/network_cost.h - what a message and an allreduce take ------===//
//
// Messages cost latency + bytes / bandwidth until a cluster is measured, then what a table of measurements says (real
// networks change slope where MPI changes to rendezvous). Flows that go through one switch uplink in the same direction
// at the same time share it; on Wi-Fi all messages in flight share the medium.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ir/cluster.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace partyline::planner {

/// A measured message between two phones on one switch.
struct MessageTime {
  double bytes = 0, seconds = 0;
};

struct NetworkModel {
  double latency = 0;                 ///< seconds, end to end, one way
  double bandwidth = 0;               ///< bytes per second of a phone's link, each way; of the medium on Wi-Fi
  std::vector<MessageTime> table;     ///< measured, by increasing size; in place of latency and bandwidth if not empty
  double uplinkLatency = 0;           ///< what crossing switches adds
  double uplinkBandwidth = 0;         ///< bytes per second of a switch's uplink, each way; 0: no limit
  bool sharedMedium = false;          ///< Wi-Fi
  double reductionSecondsPerByte = 0; ///< gamma: adding a received byte to one's own
  std::vector<int> switchOf;          ///< per phone, in rank order

  int64_t phones() const { return int64_t(switchOf.size()); }
};

/// The network between the first `phones` hosts of a cluster; of a cluster without hosts, this machine, any number.
/// Gamma is that of the slowest memory: a byte added is two read and one written. Throws Error where more than one
/// phone is asked for and the cluster says nothing of the network between them.
NetworkModel networkModel(const Cluster &cluster, int64_t phones);

/// Seconds for messages of this size that start together: `flows` of them go through the busiest uplink in one
/// direction, `inFlight` are under way in all (it matters on a shared medium).
double messageSeconds(const NetworkModel &network, double bytes, int64_t flows = 0, int64_t inFlight = 1);

/// How many of these messages (from rank, to rank) go through the busiest uplink in one direction.
int64_t uplinkFlows(const NetworkModel &network, const std::vector<std::pair<int64_t, int64_t>> &messages);

/// Seconds of an allreduce of so many bytes.
using AllreduceCost = std::function<double(int64_t bytes)>;

/// A ring in rank order: 2(p-1) (t_msg(n/p) + gamma n / 2p). In switch order every uplink carries one flow each way.
AllreduceCost ringAllreduce(const NetworkModel &network);

/// MPI_Allreduce as OpenMPI 4.1 chooses: recursive doubling below 256 KiB, from there on recursive halving and doubling
/// (Rabenseifner), which folds the ranks beyond a power of two into their neighbours first.
AllreduceCost mpiAllreduce(const NetworkModel &network);

} // namespace partyline::planner
