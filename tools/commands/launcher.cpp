//===- tools/commands/launcher.cpp - starts the workers of a cluster ------===//
#include "tools/commands/launcher.h"

#include "frontend/cluster_file.h"
#include "runtime/shared/error.h"
#include "runtime/shared/manifest_check.h"
#include "runtime/shared/manifest_json.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <thread>

namespace fs = std::filesystem;

namespace partyline::commands {

// "arm-64-linux" of "arm-64-linux-arm_dot_prod": what decides which worker binary runs.
static std::string systemOf(const std::string &target) {
  size_t end = 0;
  for (int part = 0; part < 3 && end != std::string::npos; ++part)
    end = target.find('-', part ? end + 1 : 0);
  return target.substr(0, end);
}

static fs::path ownFolder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

#if defined(__aarch64__)
static constexpr const char *kOwnSystem = "arm-64-linux";
#else
static constexpr const char *kOwnSystem = "x86-64-linux";
#endif

bool runsHere(const std::string &target) { return systemOf(target) == kOwnSystem; }

// The worker for a target: beside this program; for another system partyline-worker.SYSTEM in $PARTYLINE_WORKERS or in
// ../libexec/partyline, or where scripts/build-worker leaves it.
static fs::path workerFor(const std::string &target) {
  std::string system = systemOf(target);
  std::vector<fs::path> places;
  if (runsHere(target)) {
    places.push_back(ownFolder() / "partyline-worker");
  } else {
    if (const char *folder = getenv("PARTYLINE_WORKERS"))
      places.push_back(fs::path(folder) / ("partyline-worker." + system));
    places.push_back(ownFolder().parent_path() / "libexec" / "partyline" / ("partyline-worker." + system));
    if (system == "arm-64-linux")
      places.push_back(ownFolder().parent_path().parent_path() / "worker-arm64" / "bin" / "partyline-worker");
  }
  std::string looked;
  for (const fs::path &place : places) {
    if (access(place.c_str(), X_OK) == 0)
      return place;
    looked += (looked.empty() ? "" : ", ") + place.string();
  }
  throw runError("there is no worker for " + system + " (looked for " + looked +
                 "); build it with scripts/build-worker");
}

// Whether an address is one of this machine's own.
static bool isThisMachine(const std::string &address) {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  if (address.empty() || address == "localhost" || address == name)
    return true;
  in_addr given{};
  if (inet_pton(AF_INET, address.c_str(), &given) != 1)
    return false;
  if ((ntohl(given.s_addr) >> 24) == 127)
    return true;
  ifaddrs *interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0)
    return false;
  bool found = false;
  for (ifaddrs *entry = interfaces; entry; entry = entry->ifa_next)
    if (entry->ifa_addr && entry->ifa_addr->sa_family == AF_INET)
      found |= reinterpret_cast<sockaddr_in *>(entry->ifa_addr)->sin_addr.s_addr == given.s_addr;
  freeifaddrs(interfaces);
  return found;
}

static std::vector<std::string> words(const std::string &text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The program that runs in the foreground, for forwardSignal.
static volatile pid_t foreground = 0;

static void forwardSignal(int signal) { kill(foreground, signal); }

// Runs a program in the foreground; returns its status as waitpid gives it. A signal that asks this process to end is
// handed on and the program's end is waited for: nothing must go on writing checkpoints behind the user's back.
static int runInForeground(const std::vector<std::string> &command, Output output) {
  std::vector<char *> pointers;
  for (const std::string &word : command)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    // mpirun refuses to run as root unless it is told so twice.
    if (geteuid() == 0) {
      setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
      setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    }
    if (output == Output::dropped && !freopen("/dev/null", "w", stdout))
      _exit(127);
    execvp(pointers[0], pointers.data());
    fprintf(stderr, "partyline: %s cannot be started; is OpenMPI installed?\n", pointers[0]);
    _exit(127);
  }
  if (child < 0)
    throw runError("mpirun cannot be started");
  foreground = child;
  struct sigaction forward = {};
  forward.sa_handler = forwardSignal;
  std::map<int, struct sigaction> before;
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaction(signal, &forward, &before[signal]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw runError(std::string("mpirun cannot be waited for: ") + strerror(errno));
  for (const auto &[signal, action] : before)
    sigaction(signal, &action, nullptr);
  return status;
}

// The hosts' part of mpirun's command line: one application context per host, so that each has its own program.
static std::vector<std::string> contexts(const fs::path &party, const Manifest &manifest,
                                         const std::vector<std::string> &arguments) {
  Cluster cluster = parseCluster(party / "cluster.yaml");
  std::vector<std::string> command;
  bool foreign = false;
  for (const ManifestHost &host : manifest.hosts) {
    if (!isThisMachine(host.address))
      throw runError("host '" + host.name + "' (" + host.address +
                     ") is another machine; workers are started on this one only");
    const ClusterDevice &device = cluster.devices.at(host.device);
    auto own = std::find_if(manifest.classes.begin(), manifest.classes.end(),
                            [&](const ManifestClass &c) { return c.name == host.device; });
    if (!command.empty())
      command.push_back(":");
    command.insert(command.end(), {"-n", "1"});
    for (const std::string &word : words(device.runner))
      command.push_back(word);
    foreign |= !device.runner.empty();
    command.push_back(workerFor(own->target).string());
    command.insert(command.end(), arguments.begin(), arguments.end());
  }
  // An emulated rank cannot be reached through another's memory.
  if (foreign)
    command.insert(command.begin(), {"--mca", "btl", "tcp,self"});
  return command;
}

// Runs mpirun with what is to be run, and waits.
static int runMpi(const std::vector<std::string> &programs, Output output = Output::shown) {
  // Reading another rank's memory directly is off: it is forbidden in many containers, and where a rank dies the reader
  // would end with an error of its own before mpirun can say which rank it was.
  std::vector<std::string> command = {
      "mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "btl_vader_single_copy_mechanism", "none"};
  command.insert(command.end(), programs.begin(), programs.end());
  int status = runInForeground(command, output);
  if (WIFEXITED(status) && WEXITSTATUS(status) <= kCannot)
    return WEXITSTATUS(status);
  fprintf(stderr, "partyline: a worker ended before its time (mpirun says above which rank)\n");
  return kFailed;
}

// Where the cluster does not say how many threads, the ranks share the cores.
static void shareCores(std::vector<std::string> &arguments, int64_t ranks) {
  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  if (std::find(arguments.begin(), arguments.end(), "--threads") == arguments.end())
    arguments.insert(arguments.end(), {"--threads", std::to_string(std::max<int64_t>(1, cores / ranks))});
}

int launchWorkers(const fs::path &party, int64_t ranks, std::vector<std::string> arguments) {
  Manifest manifest = readManifest((party / "manifest.json").string());
  if (!manifest.hosts.empty())
    return runMpi(contexts(party, manifest, arguments));
  shareCores(arguments, ranks);
  arguments.insert(arguments.begin(),
                   {"-n", std::to_string(ranks), workerFor(manifest.classes.front().target).string()});
  return runMpi(arguments);
}

int launchOneWorker(const fs::path &party, const std::string &deviceClass, std::vector<std::string> arguments,
                    Output output) {
  Manifest manifest = readManifest((party / "manifest.json").string());
  const ManifestClass &chosen = findClass(manifest, deviceClass);
  std::vector<std::string> command = {"-n", "1"};
  if (manifest.hosts.empty())
    shareCores(arguments, 1);
  else
    for (const std::string &word : words(parseCluster(party / "cluster.yaml").devices.at(chosen.name).runner))
      command.push_back(word);
  command.push_back(workerFor(chosen.target).string());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return runMpi(command, output);
}

} // namespace partyline::commands
