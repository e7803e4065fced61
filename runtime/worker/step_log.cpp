//===- step_log.cpp -------------------------------------------------------===//
#include "runtime/worker/step_log.h"

#include "runtime/shared/error.h"

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

namespace partyline::runtime {

using Json = nlohmann::ordered_json;

StepLog::StepLog(const std::string &path, bool append) : path(path), file(nullptr, std::fclose) {
  if (path.empty())
    return;
  file.reset(std::fopen(path.c_str(), append ? "ae" : "we"));
  if (!file)
    throw inputError(path + ": " + std::strerror(errno));
}

void StepLog::writeLine(const std::string &line) {
  // Flushed at once: whoever watches the file sees the step, and a killed run loses none.
  if (std::fprintf(file.get(), "%s\n", line.c_str()) < 0 || std::fflush(file.get()) != 0)
    throw runError(path + ": " + std::strerror(errno));
}

void StepLog::write(const StepRecord &record) {
  if (file)
    writeLine(Json{{"step", record.step},
                   {"epoch", record.epoch},
                   {"loss", record.loss},
                   {"lr", record.learningRate},
                   {"step_ms", record.stepMs},
                   {"compute_ms", record.computeMs},
                   {"exposed_communication_ms", record.exposedCommunicationMs},
                   {"images_per_s", record.imagesPerSecond}}
                  .dump());
}

void StepLog::write(const EvaluationRecord &record) {
  if (!file)
    return;
  Json json{{"epoch", record.epoch}};
  if (record.accuracy)
    json.update({{"top1", record.accuracy->top1}, {"top5", record.accuracy->top5}});
  json["loss"] = record.loss;
  writeLine(json.dump());
}

} // namespace partyline::runtime
