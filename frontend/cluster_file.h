//===- frontend/cluster_file.h - cluster YAML -> Cluster ------------------===//
#pragma once

#include "ir/cluster.h"

#include <filesystem>

namespace partyline {

/// Reads a cluster file. Throws one Error with all mistakes, each as `FILE:LINE: message`.
Cluster parseCluster(const std::filesystem::path &path);

/// This machine, shared by `ranks` workers: the cluster where no file is given. It has one device kind, "local", and
/// no hosts.
Cluster localCluster(int64_t ranks);

} // namespace partyline
