//===- memory_report.cpp --------------------------------------------------===//
#include "runtime/worker/memory_report.h"

#include "runtime/communication/collectives.h"
#include "runtime/shared/file.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace partyline::runtime {

int64_t peakResidentBytes() {
  std::ifstream status("/proc/self/status");
  const std::string key = "VmHWM:";
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, key.size(), key) == 0)
      return std::strtoll(line.c_str() + key.size(), nullptr, 10) * 1024;
  return 0;
}

void writeMemoryReport(const Session &session, const std::string &path) {
  using Json = nlohmann::ordered_json;
  const ManifestClass &deviceClass = session.deviceClass;
  const std::string own = Json{{"rank", session.communicator.rank()},
                               {"host", session.communicator.hostName(session.communicator.rank())},
                               {"device", deviceClass.name},
                               {"peak", peakResidentBytes()},
                               {"planned_peak", deviceClass.plannedPeakBytes},
                               {"arena", deviceClass.arenaBytes}}
                              .dump();
  Json report = {{"ranks", Json::array()}};
  for (const std::string &rank : gatherStrings(session.communicator, own))
    report["ranks"].push_back(Json::parse(rank));
  if (!session.isFirst())
    return;
  const std::string text = report.dump(2) + "\n";
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

} // namespace partyline::runtime
