//===- step_log.h - one JSON object per line ------------------------------===//
//
// Per step:       step, epoch, loss, lr, step_ms, compute_ms, exposed_communication_ms, images_per_s
// Per evaluation: epoch, top1, top5 (both where samples have labels), loss
// Steps and epochs count from 1; losses are means over samples, or what the model says; top1 and top5 are fractions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace partyline::runtime {

struct StepRecord {
  int64_t step = 0, epoch = 0;
  double loss = 0, learningRate = 0;
  double stepMs = 0, computeMs = 0, exposedCommunicationMs = 0, imagesPerSecond = 0;
};

/// Fractions of the labels.
struct Accuracy {
  double top1 = 0, top5 = 0;
  int64_t labels = 0; ///< those that count
};

struct EvaluationRecord {
  int64_t epoch = 0;
  std::optional<Accuracy> accuracy;
  double loss = 0;
};

class StepLog {
public:
  /// An empty path: nothing is written. A resumed run appends. Throws an Error where the file cannot be written.
  StepLog(const std::string &path, bool append);

  void write(const StepRecord &record);
  void write(const EvaluationRecord &record);

private:
  void writeLine(const std::string &line);
  std::string path;
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file;
};

} // namespace partyline::runtime
