//===- train.h - the training run of a rank -------------------------------===//
#pragma once

#include "runtime/communication/reducer.h"
#include "runtime/worker/checkpoints.h"
#include "runtime/worker/cluster_binary.h"
#include "runtime/worker/learning_rate.h"
#include "runtime/worker/loss_divisor.h"
#include "runtime/worker/options.h"
#include "runtime/worker/progress.h"
#include "runtime/worker/step_log.h"

#include <chrono>
#include <optional>
#include <vector>

namespace partyline::runtime {

/// Samples per rank of every step, from the options, the manifest and the ranks' classes.
Shares chooseShares(const TrainOptions &options, const ClusterBinary &binary, int ranks);

class Trainer {
public:
  /// Resumes where the options say so. `testData` may be null. The reduction communicator is the reducer's alone.
  Trainer(const Session &session, Communicator &reduction, const Dataset &trainData, const Dataset *testData,
          Shares shares, const TrainOptions &options);

  /// Trains to the end of the run. All ranks call it.
  void run();

  const RunState &runState() const { return state; }

private:
  using Clock = std::chrono::steady_clock;
  struct StepTimes {
    Clock::time_point begin = Clock::now();
    double computeMs = 0; ///< forward and backward, waiting for data included
    double waitedMs = 0;  ///< for the reducer, after backward
  };

  bool finished() const;
  int64_t totalSteps() const;
  /// That of the step at the cursor.
  double learningRate();
  /// That of any step, counted from 0.
  double learningRateOf(int64_t step) const;
  /// Tells the user where the run that is resumed had another one.
  void compareLearningRates();
  void enqueue(int64_t position);
  void trainStep();
  /// Returns the sum of this rank's losses. `call` has the weight of one sample.
  double runForwardBackward(int64_t samples, StepCall call);
  void reduceAndUpdate(const StepCall &call, StepTimes &times);
  void report(double lossSum, double divisor, int64_t samples, double learningRate, const StepTimes &times);
  void endEpoch();
  std::optional<Evaluation> evaluateNow();
  void checkpoint(const std::optional<Evaluation> &evaluation);

  const Session session;
  const TrainOptions options;
  const Dataset &trainData;
  const Dataset *const testData;
  RunState state;
  std::optional<Schedule> schedule;
  const LossDivisor lossDivisor;
  Reducer reducer;
  std::optional<StepSlice> ahead; ///< the next step of the epoch, where the reader has its samples already
  LearningRateSchedule learningRateSchedule;
  std::vector<double> learningRates; ///< of the steps of `learningRatesEpoch`
  int64_t learningRatesEpoch = -1;
  int64_t firstStep = 0;                           ///< steps done before this run
  int64_t evaluatedStep = -1, checkpointStep = -1; ///< when the last one was made
  double lastLoss = 0;                             ///< of rank 0
  std::optional<StepLog> log;
  Progress progress;
};

} // namespace partyline::runtime
