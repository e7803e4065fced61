//===- frontend/cluster_file.cpp - cluster YAML -> Cluster ----------------===//

#include "frontend/cluster_file.h"

#include "frontend/host_range.h"
#include "frontend/yaml_reader.h"
#include "runtime/shared/error.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <thread>

namespace partyline {

namespace {

/// Names end up in file names and on ssh's command line.
bool isPlainName(const std::string &name, const std::string &alsoAllowed = "") {
  return !name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), [&](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '-' ||
           alsoAllowed.find(static_cast<char>(c)) != std::string::npos;
  });
}

class ClusterReader {
public:
  explicit ClusterReader(const std::string &path) : path(path), errors(path) {}

  Cluster read() {
    YamlMapping root(readYamlFile(path), "the cluster file", {"version", "name", "devices", "network", "hosts", "ssh"},
                     errors);
    root.require({"version", "devices"});
    root.integer("version", 1, 1);
    cluster.name = root.text("name").value_or(std::filesystem::path(path).stem().string());
    if (root.has("ssh"))
      cluster.ssh = readSsh(root.at("ssh"), "ssh");
    if (root.has("devices"))
      readDevices(root.at("devices"));
    if (root.has("hosts"))
      readHosts(root.at("hosts"));
    if (root.has("network"))
      readNetwork(root.at("network"));
    else if (cluster.hosts.size() > 1)
      root.require({"network"});
    errors.throwIfAny();
    return std::move(cluster);
  }

private:
  ClusterSsh readSsh(const YAML::Node &node, const std::string &what) {
    YamlMapping mapping(node, what, {"port", "user", "key"}, errors);
    ClusterSsh ssh;
    ssh.port = mapping.integer("port", 1, 65535);
    ssh.user = mapping.text("user");
    ssh.key = mapping.text("key");
    if (ssh.user && !isPlainName(*ssh.user))
      errors.add(mapping.line("user"), what + ": user: '" + *ssh.user + "' is no user name");
    return ssh;
  }

  void readDevices(const YAML::Node &node) {
    if (!node.IsMap() || node.size() == 0) {
      errors.add(node, "devices must map names of device kinds to what they are");
      return;
    }
    for (const auto &entry : node) {
      if (!entry.first.IsScalar() || !isPlainName(entry.first.Scalar())) {
        errors.add(entry.first, "devices: a name must be letters, digits, '.', '_' and '-'");
        continue;
      }
      const std::string &name = entry.first.Scalar();
      ClusterDevice device = readDevice(name, entry.second);
      if (!cluster.devices.emplace(name, std::move(device)).second)
        errors.add(entry.first, "devices: '" + name + "' is given twice");
    }
  }

  ClusterDevice readDevice(const std::string &name, const YAML::Node &node) {
    const std::string what = "device '" + name + "'";
    YamlMapping mapping(node, what, {"target", "memory", "threads", "compute", "runner", "ssh", "opencl", "profile"},
                        errors);
    for (const char *later : {"opencl", "profile"})
      if (mapping.has(later))
        errors.add(mapping.line(later), what + ": '" + later + "' is not supported by this version");
    ClusterDevice device;
    device.name = name;
    if (node.IsMap())
      mapping.require({"target", "memory", "threads", "compute"});
    device.target = mapping.text("target").value_or("");
    if (mapping.has("target"))
      checkTarget(device.target, mapping.line("target"), what);
    device.memory = mapping.bytes("memory").value_or(0);
    device.threads = mapping.integer("threads", 1, 1024).value_or(1);
    device.runner = mapping.text("runner").value_or("");
    if (mapping.has("compute")) {
      YamlMapping compute(mapping.at("compute"), what + ": compute", {"gflops", "bandwidth"}, errors);
      compute.require({"gflops", "bandwidth"});
      device.compute.gflops = compute.positive("gflops").value_or(0);
      device.compute.bandwidth = compute.bandwidth("bandwidth").value_or(0);
    }
    if (mapping.has("ssh"))
      device.ssh = readSsh(mapping.at("ssh"), what + ": ssh");
    return device;
  }

  /// Which processor and system; the features behind them are the kernel generator's to judge.
  void checkTarget(const std::string &target, int line, const std::string &what) {
    for (const std::string base : {"host", "x86-64-linux", "arm-64-linux", "arm-64-android"})
      if (target == base || target.starts_with(base + "-")) {
        if (target.find("-opencl") != std::string::npos)
          errors.add(line, what + ": target: OpenCL is not supported by this version");
        return;
      }
    errors.add(line, what + ": target: '" + target +
                         "' is not supported (only host, x86-64-linux, arm-64-linux and arm-64-android, with "
                         "features such as x86-64-linux-avx2-fma)");
  }

  ClusterLink readLink(const YAML::Node &node, const std::string &what, bool needsLatency, double latency) {
    YamlMapping mapping(node, what, {"bandwidth", "latency"}, errors);
    if (node.IsMap())
      mapping.require(needsLatency ? std::vector<std::string>{"bandwidth", "latency"}
                                   : std::vector<std::string>{"bandwidth"});
    return {mapping.bandwidth("bandwidth").value_or(0), mapping.duration("latency").value_or(latency)};
  }

  void readNetwork(const YAML::Node &node) {
    constexpr double usualWifiLatency = 2e-3;
    YamlMapping mapping(node, "network", {"link", "uplink", "wifi"}, errors);
    if (mapping.has("link"))
      cluster.network.link = readLink(mapping.at("link"), "network: link", true, 0);
    if (mapping.has("uplink")) // a link's latency is end to end, so an uplink has none of its own
      cluster.network.uplink = readLink(mapping.at("uplink"), "network: uplink", false, 0);
    if (mapping.has("wifi"))
      cluster.network.wifi = readLink(mapping.at("wifi"), "network: wifi", false, usualWifiLatency);
    if (mapping.has("wifi") && (mapping.has("link") || mapping.has("uplink")))
      errors.add(mapping.line("wifi"), "network: wifi stands in place of link and uplink; give one or the other");
    if (!mapping.has("wifi") && !mapping.has("link") && node.IsMap())
      errors.add(mapping.line(), "network: 'link' is missing");
    std::set<std::string> switches;
    for (const ClusterHost &host : cluster.hosts)
      switches.insert(host.switchName);
    if (switches.size() > 1 && mapping.has("link") && !mapping.has("uplink"))
      errors.add(mapping.line(), "network: 'uplink' is missing: the hosts are on more than one switch");
  }

  void readHosts(const YAML::Node &node) {
    if (!node.IsSequence()) {
      errors.add(node, "hosts must be a list, as in '- {name: phone1, address: 10.0.0.1, device: KIND}'");
      return;
    }
    for (const auto &entry : node)
      readHostRange(entry);
  }

  void readHostRange(const YAML::Node &node) {
    YamlMapping mapping(node, "host", {"name", "address", "device", "switch", "ssh"}, errors);
    if (!node.IsMap())
      return;
    mapping.require({"name", "device"});
    auto expand = [&](const std::string &key) {
      std::vector<std::string> names;
      if (auto text = mapping.text(key)) {
        try {
          names = expandHostRange(*text);
        } catch (const Error &error) {
          errors.add(mapping.line(key), "host: " + key + ": " + error.what());
        }
      }
      return names;
    };
    const std::vector<std::string> names = expand("name");
    const std::vector<std::string> addresses = mapping.has("address") ? expand("address") : names;
    if (!names.empty() && !addresses.empty() && names.size() != addresses.size())
      errors.add(mapping.line("address"), "host: the name stands for " + std::to_string(names.size()) +
                                              " hosts, the address for " + std::to_string(addresses.size()));
    ClusterHost host;
    host.device = mapping.text("device").value_or("");
    host.switchName = mapping.text("switch").value_or("");
    if (mapping.has("ssh"))
      host.ssh = readSsh(mapping.at("ssh"), "host: ssh");
    if (!host.device.empty() && !cluster.devices.count(host.device))
      errors.add(mapping.line("device"), "host: device '" + host.device + "' is not among the devices");
    for (size_t i = 0; i < std::min(names.size(), addresses.size()); ++i) {
      host.name = names[i];
      host.address = addresses[i];
      if (!isPlainName(host.name))
        errors.add(mapping.line("name"), "host: '" + host.name + "' is no host name");
      else if (!hostNames.insert(host.name).second)
        errors.add(mapping.line("name"), "host: the name '" + host.name + "' is given twice");
      if (!isPlainName(host.address, ":"))
        errors.add(mapping.line("address"), "host: '" + host.address + "' is no address");
      cluster.hosts.push_back(host);
    }
  }

  const std::string path;
  YamlErrors errors;
  Cluster cluster;
  std::set<std::string> hostNames;
};

/// Memory of this machine, or what its control group allows.
int64_t machineMemory() {
  int64_t memory = 0, limit = 0;
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key && key != "MemTotal:";)
    meminfo.ignore(256, '\n');
  if (!(meminfo >> memory))
    throw runError("/proc/meminfo does not say how much memory this machine has; give a cluster file");
  memory *= 1024; // given in KiB
  std::ifstream group("/sys/fs/cgroup/memory.max");
  if (group >> limit && limit > 0)
    memory = std::min(memory, limit);
  return memory;
}

} // namespace

Cluster parseCluster(const std::filesystem::path &path) { return ClusterReader(path.string()).read(); }

Cluster localCluster(int64_t ranks) {
  ranks = std::max<int64_t>(1, ranks);
  ClusterDevice device;
  device.name = "local";
  device.target = "host";
  // Total, not free, memory: the plan must not depend on what else runs. A quarter is left to that.
  device.memory = machineMemory() / 4 * 3 / ranks;
  device.threads = std::max<int64_t>(1, static_cast<int64_t>(std::thread::hardware_concurrency()) / ranks);
  // A usual core and its memory; between processes of one machine messages are copies.
  device.compute = {40.0 * static_cast<double>(device.threads), 10e9};
  Cluster cluster;
  cluster.name = "this machine";
  cluster.network.link = {2e9, 20e-6};
  cluster.devices.emplace(device.name, std::move(device));
  return cluster;
}

} // namespace partyline
