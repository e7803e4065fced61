//===- tests/frontend/cluster_file_test.cpp - clusters and their mistakes -===//

#include "frontend/cluster_file.h"
#include "tests/frontend/test_files.h"

namespace partyline::test {

static Cluster parseText(const std::string &text) {
  TemporaryFolder folder;
  writeFile(folder / "rack.yaml", text);
  return parseCluster(folder / "rack.yaml");
}

static void expectMistakes(const std::string &text, const std::vector<std::string> &mentioned) {
  expectError([&] { parseText(text); }, kWrongInput, mentioned);
}

static const std::string kRack = R"(version: 1
name: rack-138
devices:
  s10plus:
    target: arm-64-android
    memory: 2.8 GB
    threads: 4
    compute: {gflops: 80, bandwidth: 14 GB/s}
network:
  link: {bandwidth: 1 Gb/s, latency: 100 us}
  uplink: {bandwidth: 1 Gb/s}
hosts:
  - {name: "phone[001-046]", address: "10.0.1.[1-46]", device: s10plus, switch: sw1}
  - {name: "phone[047-092]", address: "10.0.2.[1-46]", device: s10plus, switch: sw2}
  - {name: "phone[093-138]", address: "10.0.3.[1-46]", device: s10plus, switch: sw3, ssh: {port: 22}}
ssh: {port: 8022, user: u0_a1}
)";

TEST(ClusterFile, Rack) {
  Cluster cluster = parseText(kRack);
  EXPECT_EQ(cluster.name, "rack-138");
  const ClusterDevice &device = cluster.devices.at("s10plus");
  EXPECT_EQ(device.name, "s10plus");
  EXPECT_EQ(device.target, "arm-64-android");
  EXPECT_EQ(device.memory, 2800000000);
  EXPECT_EQ(device.threads, 4);
  EXPECT_DOUBLE_EQ(device.compute.gflops, 80);
  EXPECT_DOUBLE_EQ(device.compute.bandwidth, 14e9);
  EXPECT_DOUBLE_EQ(cluster.network.link.bandwidth, 125e6);
  EXPECT_DOUBLE_EQ(cluster.network.link.latency, 100e-6);
  ASSERT_TRUE(cluster.network.uplink.has_value());
  EXPECT_FALSE(cluster.network.wifi.has_value());
  ASSERT_EQ(cluster.hosts.size(), 138u);
  EXPECT_EQ(cluster.hosts[46].name, "phone047");
  EXPECT_EQ(cluster.hosts[46].address, "10.0.2.1");
  EXPECT_EQ(cluster.hosts[46].switchName, "sw2");
  EXPECT_EQ(cluster.hosts[137].ssh.port, 22);
  EXPECT_FALSE(cluster.hosts[0].ssh.port.has_value());
  EXPECT_EQ(cluster.ssh.port, 8022);
  EXPECT_EQ(cluster.ssh.user, "u0_a1");
}

TEST(ClusterFile, AllMistakesAtOnceWithTheirLines) {
  expectMistakes(R"(version: 1
name: broken
devices:
  phone:
    target: arm-32-windows
    memroy: 2 GB
    memory: 2800
    threads: 0
    compute: {gflops: -3, bandwidth: 14 GB}
network:
  link: {bandwidth: 1 Gb/s, latency: 100}
hosts:
  - {name: a, address: 10.0.0.1, device: phone}
  - {name: a, address: 10.0.0.2, device: phon}
  - {name: "b[1-3]", address: "10.0.0.[3-4]", device: phone}
  - {name: "c[3-1]", device: phone}
)",
                 {"rack.yaml:5: device 'phone': target: 'arm-32-windows' is not supported",
                  "rack.yaml:6: device 'phone': unknown key 'memroy'; did you mean 'memory'?",
                  "rack.yaml:7: device 'phone': memory: '2800' has no unit",
                  "rack.yaml:8: device 'phone': threads: 0 is impossible",
                  "rack.yaml:9: device 'phone': compute: gflops: -3 is impossible",
                  "rack.yaml:9: device 'phone': compute: bandwidth: '14 GB' has an unknown unit 'GB'",
                  "rack.yaml:11: network: link: latency: '100' has no unit",
                  "rack.yaml:14: host: the name 'a' is given twice",
                  "rack.yaml:14: host: device 'phon' is not among the devices",
                  "rack.yaml:15: host: the name stands for 3 hosts, the address for 2",
                  "rack.yaml:16: host: name: 'c[3-1]': the range '3-1' ends before it begins"});
}

TEST(ClusterFile, WhatIsMissing) {
  expectMistakes("devices: {}\n", {":1: the cluster file: 'version' is missing", ":1: devices must map"});
  expectMistakes("version: 2\ndevices: {p: {}}\n",
                 {":1: the cluster file: version: 2 is impossible", ":2: device 'p': 'target' is missing",
                  ":2: device 'p': 'memory' is missing", ":2: device 'p': 'compute' is missing"});
  expectMistakes("", {":1: the cluster file must be a mapping"});
  std::string noUplink = kRack;
  noUplink.erase(noUplink.find("  uplink"), std::string("  uplink: {bandwidth: 1 Gb/s}\n").size());
  expectMistakes(noUplink, {":10: network: 'uplink' is missing"});
}

TEST(ClusterFile, KeysGivenTwice) {
  expectMistakes(kRack + "name: again\n", {":17: the cluster file: 'name' is given twice"});
}

TEST(ClusterFile, WifiStandsInPlaceOfLinks) {
  std::string wifi = kRack;
  wifi.replace(wifi.find("  uplink: {bandwidth: 1 Gb/s}"), 29, "  wifi: {bandwidth: 200 Mb/s}");
  expectMistakes(wifi, {":11: network: wifi stands in place of link"});
  wifi.erase(wifi.find("  link"), std::string("  link: {bandwidth: 1 Gb/s, latency: 100 us}\n").size());
  EXPECT_DOUBLE_EQ(parseText(wifi).network.wifi->bandwidth, 25e6);
}

TEST(ClusterFile, NamesThatWouldReachACommandLine) {
  for (const char *name : {"-oProxyCommand=x", "a;b", "a b", "$(x)"}) {
    std::string text = kRack;
    text.replace(text.find("u0_a1"), 5, "\"" + std::string(name) + "\"");
    expectMistakes(text, {":16: ssh: user:"});
    text = kRack;
    text.replace(text.find("10.0.1.[1-46]"), 13, std::string(name) + "[1-46]");
    expectMistakes(text, {":13: host: '"});
  }
}

TEST(ClusterFile, NotYaml) {
  expectMistakes("version: 1\ndevices: {a: [}\n", {"rack.yaml:2: not valid YAML"});
  expectMistakes("devices: &a\n  - *b\n", {"rack.yaml:2: not valid YAML"});
  expectMistakes(std::string(100000, '['), {"not valid YAML"});
  expectError([] { parseCluster("/nowhere/rack.yaml"); }, kWrongInput, {"/nowhere/rack.yaml: no such file"});
}

TEST(ClusterFile, TruncatedAnywhere) {
  for (size_t length = 0; length < kRack.size(); ++length)
    try {
      parseText(kRack.substr(0, length));
    } catch (const Error &error) {
      ASSERT_EQ(error.exitCode, kWrongInput) << error.what();
    }
}

TEST(ClusterFile, ThisMachine) {
  Cluster one = localCluster(1), four = localCluster(4);
  EXPECT_TRUE(one.hosts.empty());
  EXPECT_EQ(one.devices.at("local").target, "host");
  EXPECT_GT(one.devices.at("local").memory, int64_t(64) << 20);
  EXPECT_EQ(four.devices.at("local").memory, one.devices.at("local").memory / 4);
  EXPECT_GE(four.devices.at("local").threads, 1);
  EXPECT_GT(one.devices.at("local").compute.gflops, 0);
  EXPECT_GT(one.network.link.bandwidth, 0);
}

} // namespace partyline::test
