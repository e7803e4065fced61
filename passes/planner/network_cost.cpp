//===- planner/network_cost.cpp - what a message and an allreduce take ----===//
#include "passes/planner/network_cost.h"

#include "runtime/shared/error.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>

namespace partyline::planner {
namespace {

/// Linear between measured sizes; the first measurement below them, the last slope beyond.
double interpolate(const std::vector<MessageTime> &table, double bytes) {
  if (table.size() == 1 || bytes <= table.front().bytes)
    return table.front().seconds;
  auto after = std::upper_bound(table.begin(), table.end(), bytes,
                                [](double value, const MessageTime &entry) { return value < entry.bytes; });
  if (after == table.end())
    --after;
  const MessageTime &low = *std::prev(after), &high = *after;
  return low.seconds + (high.seconds - low.seconds) * (bytes - low.bytes) / (high.bytes - low.bytes);
}

/// Messages that start together, and how many go through the busiest uplink.
struct Round {
  int64_t flows = 0, inFlight = 0;
};

Round roundOf(const NetworkModel &network, const std::vector<std::pair<int64_t, int64_t>> &messages) {
  return {uplinkFlows(network, messages), int64_t(messages.size())};
}

double seconds(const NetworkModel &network, double bytes, const Round &round) {
  return messageSeconds(network, bytes, round.flows, round.inFlight);
}

} // namespace

NetworkModel networkModel(const Cluster &cluster, int64_t phones) {
  const bool thisMachine = cluster.hosts.empty();
  if (phones < 1 || (!thisMachine && phones > int64_t(cluster.hosts.size())))
    throw inputError(fmt::format("cluster '{}' has {} hosts: a plan for {} cannot be made", cluster.name,
                                 cluster.hosts.size(), phones));
  NetworkModel network;
  std::map<std::string, int> switches;
  for (int64_t i = 0; i < phones; ++i) {
    const std::string name = thisMachine ? std::string() : cluster.hosts[i].switchName;
    network.switchOf.push_back(switches.emplace(name, int(switches.size())).first->second);
  }
  network.sharedMedium = cluster.network.wifi.has_value();
  const ClusterLink &link = network.sharedMedium ? *cluster.network.wifi : cluster.network.link;
  network.latency = link.latency;
  network.bandwidth = link.bandwidth;
  if (phones > 1 && !(network.bandwidth > 0))
    throw inputError(fmt::format("cluster '{}' gives no bandwidth between its hosts: add network: {{link: {{bandwidth: "
                                 "1 Gb/s, latency: 100 us}}}}",
                                 cluster.name));
  if (switches.size() > 1 && !network.sharedMedium) {
    if (!cluster.network.uplink || !(cluster.network.uplink->bandwidth > 0))
      throw inputError(fmt::format("cluster '{}' has {} switches but no bandwidth between them: add network: {{uplink: "
                                   "{{bandwidth: 1 Gb/s}}}}",
                                   cluster.name, switches.size()));
    network.uplinkLatency = cluster.network.uplink->latency;
    network.uplinkBandwidth = cluster.network.uplink->bandwidth;
  }
  for (const auto &[name, device] : cluster.devices)
    if (device.compute.bandwidth > 0)
      network.reductionSecondsPerByte = std::max(network.reductionSecondsPerByte, 3 / device.compute.bandwidth);
  return network;
}

double messageSeconds(const NetworkModel &network, double bytes, int64_t flows, int64_t inFlight) {
  if (network.sharedMedium)
    return network.latency + double(inFlight) * bytes / network.bandwidth;
  double time = network.table.empty() ? network.latency + bytes / network.bandwidth : interpolate(network.table, bytes);
  if (flows > 0) {
    const double latency = network.table.empty() ? network.latency : network.table.front().seconds;
    const double uplink = network.uplinkBandwidth > 0 ? double(flows) * bytes / network.uplinkBandwidth : 0;
    time = std::max(time, latency + uplink) + network.uplinkLatency;
  }
  return time;
}

int64_t uplinkFlows(const NetworkModel &network, const std::vector<std::pair<int64_t, int64_t>> &messages) {
  std::map<int, int64_t> out, in;
  int64_t most = 0;
  for (const auto &[from, to] : messages)
    if (network.switchOf[from] != network.switchOf[to])
      most = std::max({most, ++out[network.switchOf[from]], ++in[network.switchOf[to]]});
  return most;
}

AllreduceCost ringAllreduce(const NetworkModel &network) {
  const int64_t p = network.phones();
  if (p <= 1)
    return [](int64_t) { return 0.0; };
  std::vector<std::pair<int64_t, int64_t>> messages;
  for (int64_t i = 0; i < p; ++i)
    messages.emplace_back(i, (i + 1) % p);
  return [network, p, round = roundOf(network, messages)](int64_t bytes) {
    const double chunk = double(bytes) / double(p);
    return 2 * double(p - 1) * (seconds(network, chunk, round) + network.reductionSecondsPerByte * chunk / 2);
  };
}

AllreduceCost mpiAllreduce(const NetworkModel &network) {
  const int64_t p = network.phones();
  if (p <= 1)
    return [](int64_t) { return 0.0; };
  // Ranks 2i < 2 * folded give their data to 2i + 1 first and get the result from it last; the others are renumbered.
  const int64_t power = int64_t(std::bit_floor(uint64_t(p))), folded = p - power;
  std::vector<std::pair<int64_t, int64_t>> messages;
  for (int64_t i = 0; i < folded; ++i)
    messages.emplace_back(2 * i, 2 * i + 1);
  const Round fold = roundOf(network, messages);
  std::vector<Round> rounds; // by distance 1, 2, 4, ...
  auto rank = [&](int64_t i) { return i < folded ? 2 * i + 1 : i + folded; };
  for (int64_t distance = 1; distance < power; distance *= 2) {
    messages.clear();
    for (int64_t i = 0; i < power; ++i)
      messages.emplace_back(rank(i), rank(i ^ distance));
    rounds.push_back(roundOf(network, messages));
  }
  return [network, fold, rounds, folded](int64_t count) {
    const double bytes = double(count), gamma = network.reductionSecondsPerByte;
    double time = 0;
    if (count < 256 * 1024) {
      if (folded > 0)
        time += 2 * seconds(network, bytes, fold) + gamma * bytes;
      for (const Round &round : rounds)
        time += seconds(network, bytes, round) + gamma * bytes;
      return time;
    }
    if (folded > 0) // halves are swapped and reduced, one half handed over; at the end all of the result
      time += 2 * seconds(network, bytes / 2, fold) + gamma * bytes / 2 + seconds(network, bytes, fold);
    double part = bytes;
    for (const Round &round : rounds) {
      part /= 2;
      time += 2 * seconds(network, part, round) + gamma * part;
    }
    return time;
  };
}

} // namespace partyline::planner
