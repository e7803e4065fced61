//===- ir/cluster.h - a cluster of phones, as plain structs ---------------===//
//
// What the cluster file says, with ranges expanded and units resolved: bytes, bytes per second, seconds. The frontend
// fills it in, the planner, code generation and the commands read it. Plain structs: no MLIR, no YAML.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace partyline {

/// How to reach a host. A field left unset falls back: host, then device kind, then the cluster, then ~/.ssh/config.
struct ClusterSsh {
  std::optional<int64_t> port;
  std::optional<std::string> user;
  std::optional<std::string> key; ///< path of the identity file
};

/// How fast a device kind computes, until it is calibrated.
struct ClusterCompute {
  double gflops = 0;    ///< 1e9 float operations per second that kernels reach, a multiply-add counted as two
  double bandwidth = 0; ///< bytes per second to and from memory
};

/// One kind of phone. All phones of a kind share one step library.
struct ClusterDevice {
  std::string name;
  std::string target;  ///< a Halide target string, "host" included
  int64_t memory = 0;  ///< bytes usable by one worker
  int64_t threads = 1; ///< of the worker's pool
  std::string runner;  ///< command put before the worker, as "qemu-aarch64 -L DIR"; may be empty
  ClusterCompute compute;
  ClusterSsh ssh;
};

/// One kind of cable. Latency is end to end, one way.
struct ClusterLink {
  double bandwidth = 0; ///< bytes per second, in each direction
  double latency = 0;   ///< seconds
};

struct ClusterNetwork {
  ClusterLink link;                  ///< of every phone to its switch
  std::optional<ClusterLink> uplink; ///< between switches; needed where hosts name more than one switch
  std::optional<ClusterLink> wifi;   ///< one medium shared by all phones, in place of links
};

/// One phone. Its place in Cluster::hosts is its rank.
struct ClusterHost {
  std::string name;
  std::string address;
  std::string device;     ///< name of a ClusterDevice
  std::string switchName; ///< empty where the file names none
  ClusterSsh ssh;
};

struct Cluster {
  std::string name;
  std::map<std::string, ClusterDevice> devices;
  ClusterNetwork network;
  std::vector<ClusterHost> hosts; ///< empty: this machine
  ClusterSsh ssh;
};

} // namespace partyline
