//===- tests/planner/network_cost_test.cpp --------------------------------===//
#include "passes/planner/network_cost.h"
#include "runtime/shared/error.h"

#include <gtest/gtest.h>

namespace partyline::planner {
namespace {

/// The rack of the paper: 138 phones, 46 on each of three gigabit switches.
Cluster rack(double latency) {
  Cluster cluster;
  cluster.name = "rack-138";
  cluster.network.link = {125e6, latency};
  cluster.network.uplink = ClusterLink{125e6, 0};
  for (int i = 0; i < 138; ++i) {
    ClusterHost host;
    host.switchName = "sw" + std::to_string(1 + i / 46);
    cluster.hosts.push_back(host);
  }
  return cluster;
}

TEST(NetworkCost, OnePhoneCostsNothing) {
  NetworkModel network = networkModel(rack(1e-4), 1);
  EXPECT_EQ(ringAllreduce(network)(1 << 20), 0);
  EXPECT_EQ(mpiAllreduce(network)(1 << 20), 0);
}

TEST(NetworkCost, RingIsItsFormula) {
  NetworkModel network = networkModel(rack(1e-4), 4);
  network.reductionSecondsPerByte = 1e-9;
  // 2*3 * (100 us + 1 MB / 125 MB/s + 1 ns/B * 1 MB / 2) for 4 MB on 4 phones
  EXPECT_DOUBLE_EQ(ringAllreduce(network)(4'000'000), 6 * (1e-4 + 1e6 / 125e6 + 1e-9 * 1e6 / 2));
}

TEST(NetworkCost, ChunkWiseStepsOfThePaper) {
  // 274 steps per tensor at 0.53 ms reproduce the paper's chunk-wise iterations on 138 phones: ResNet-50 47 s with 321
  // tensors of 97.70 MB in all, Inception-v3 84 s with 556 tensors of 91.05 MB (times of communication alone).
  const AllreduceCost cost = ringAllreduce(networkModel(rack(0.53e-3), 138));
  EXPECT_NEAR(321 * cost(int64_t(97.70e6 / 321)), 47, 0.04 * 47);
  EXPECT_NEAR(556 * cost(int64_t(91.05e6 / 556)), 84, 0.04 * 84);
}

TEST(NetworkCost, RingInSwitchOrderSendsOneFlowThroughEveryUplink) {
  NetworkModel network = networkModel(rack(1e-4), 138);
  const double inOrder = ringAllreduce(network)(100'000'000);
  for (int i = 0; i < 138; ++i)
    network.switchOf[i] = i % 3; // every message crosses: 46 flows through each uplink
  const double interleaved = ringAllreduce(network)(100'000'000);
  const double bandwidthPart = 274 * 100e6 / 138 / 125e6;
  EXPECT_NEAR(interleaved - inOrder, 45 * bandwidthPart, 1e-6);
}

TEST(NetworkCost, ASlowUplinkSlowsTheRing) {
  Cluster cluster = rack(1e-4);
  cluster.network.uplink = ClusterLink{62.5e6, 1e-5};
  const double within = ringAllreduce(networkModel(cluster, 46))(46'000'000);
  const double across = ringAllreduce(networkModel(cluster, 47))(47'000'000);
  EXPECT_NEAR(within, 90 * (1e-4 + 1e6 / 125e6), 1e-9);
  EXPECT_NEAR(across, 92 * (1e-4 + 1e-5 + 1e6 / 62.5e6), 1e-9);
}

TEST(NetworkCost, WifiIsOneMedium) {
  Cluster cluster = rack(1e-4);
  cluster.network.wifi = ClusterLink{25e6, 1e-3};
  // The bytes on the air grow with the phones: 2 phones 2*1*(n/2)*2 = 2n, 16 phones 2*15*(n/16)*16 = 30n.
  const double two = ringAllreduce(networkModel(cluster, 2))(37'500'000);
  const double sixteen = ringAllreduce(networkModel(cluster, 16))(37'500'000);
  EXPECT_NEAR(sixteen / two, 15, 0.1);
}

TEST(NetworkCost, TableIsInterpolated) {
  NetworkModel network;
  network.switchOf = {0, 0};
  network.table = {{1000, 1e-4}, {2000, 3e-4}, {10000, 7e-4}};
  EXPECT_DOUBLE_EQ(messageSeconds(network, 10), 1e-4);
  EXPECT_DOUBLE_EQ(messageSeconds(network, 1500), 2e-4);
  EXPECT_DOUBLE_EQ(messageSeconds(network, 6000), 5e-4);
  EXPECT_DOUBLE_EQ(messageSeconds(network, 18000), 11e-4); // the last slope goes on
}

TEST(NetworkCost, MpiAllreduceFoldsRanksBeyondAPowerOfTwo) {
  // Alone on a switch: 128 phones move 2n (1 - 1/128) bytes one after another, 138 phones 2n more.
  const double n = 64'000'000;
  NetworkModel network;
  network.bandwidth = 125e6;
  network.switchOf.assign(128, 0);
  EXPECT_NEAR(mpiAllreduce(network)(int64_t(n)) * 125e6, 2 * n * 127 / 128, 1);
  network.switchOf.assign(138, 0);
  EXPECT_NEAR(mpiAllreduce(network)(int64_t(n)) * 125e6, 2 * n * 127 / 128 + 2 * n, 1);
}

TEST(NetworkCost, MpiAllreduceOnTheRackAsSimulated) {
  // SimGrid's times of OpenMPI's choice on the paper's rack: 1 MiB .0842 s, 5 MiB .370, 25 MiB 1.774, 100 MiB 7.08,
  // 230 MB 15.5. The uplinks make most of it: without them 100 MiB would take 3.3 s.
  const AllreduceCost cost = mpiAllreduce(networkModel(rack(1e-4), 138));
  EXPECT_NEAR(cost(1 << 20), .0842, .15 * .0842);
  EXPECT_NEAR(cost(5 << 20), .370, .15 * .370);
  EXPECT_NEAR(cost(25 << 20), 1.774, .15 * 1.774);
  EXPECT_NEAR(cost(100 << 20), 7.08, .15 * 7.08);
  EXPECT_NEAR(cost(230'000'000), 15.5, .15 * 15.5);
}

TEST(NetworkCost, RingBeatsMpiForLargeMessagesAcrossTheRack) {
  const NetworkModel network = networkModel(rack(1e-4), 138);
  EXPECT_LT(2 * ringAllreduce(network)(100 << 20), mpiAllreduce(network)(100 << 20));
}

TEST(NetworkCost, RefusesAClusterThatSaysTooLittle) {
  Cluster cluster = rack(1e-4);
  EXPECT_THROW(networkModel(cluster, 139), Error);
  EXPECT_THROW(networkModel(cluster, 0), Error);
  cluster.network.uplink.reset();
  EXPECT_NO_THROW(networkModel(cluster, 46));
  EXPECT_THROW(networkModel(cluster, 47), Error);
  cluster.network.link.bandwidth = 0;
  EXPECT_THROW(networkModel(cluster, 2), Error);
  EXPECT_NO_THROW(networkModel(cluster, 1));
}

} // namespace
} // namespace partyline::planner
