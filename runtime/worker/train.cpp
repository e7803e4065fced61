//===- train.cpp ----------------------------------------------------------===//
//
// A step on a rank:
//   1. The schedule says which samples are this rank's. The reader has them, or is reading them.
//   2. Forward and backward of ceil(x / b) micro-batches. The first overwrites the gradient arena, the others add.
//      In the last one every bucket is handed to the reducer as soon as it is final. Without samples: zeros.
//   3. Bucket by bucket: wait until it is summed over the ranks, update its weights. Where gradients are clipped, which
//      takes the norm of them all, the updates come after the last bucket.
//   4. The losses are summed for the log; now and then all ranks compare their weights.
//
//===----------------------------------------------------------------------===//
#include "runtime/worker/train.h"

#include "runtime/communication/collectives.h"
#include "runtime/shared/error.h"
#include "runtime/shared/layout.h"
#include "runtime/worker/agreement.h"
#include "runtime/worker/gradient_clipping.h"
#include "runtime/worker/weights.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace partyline::runtime {

static double millisecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

Shares chooseShares(const TrainOptions &options, const ClusterBinary &binary, int ranks) {
  int64_t batch = options.globalBatch.value_or(binary.manifest.options.globalBatch);
  if (!options.shares.empty()) {
    const Shares shares = parseShares(options.shares, ranks);
    return batch == 0 ? shares : proportionalShares(shares, batch);
  }
  Shares shares;
  for (const ManifestHost &host : binary.manifest.hosts)
    shares.push_back(host.share);
  // Fewer ranks than hosts, for a trial: those that are there keep their proportion.
  shares.resize(std::min(shares.size(), size_t(ranks)));
  if (std::accumulate(shares.begin(), shares.end(), int64_t(0)) > 0)
    return proportionalShares(shares, batch);
  if (batch > 0)
    return evenShares(batch, ranks);
  shares.clear();
  for (int rank = 0; rank < ranks; ++rank)
    shares.push_back(classOfRank(binary, rank, ranks).microBatch);
  return shares;
}

Trainer::Trainer(const Session &session, Communicator &reduction, const Dataset &trainData, const Dataset *testData,
                 Shares shares, const TrainOptions &options)
    : session(session), options(options), trainData(trainData), testData(testData),
      lossDivisor(session.manifest, session.deviceClass, session.arena),
      reducer(reduction, session.manifest.buckets, session.arena.at<float>(session.deviceClass.gradientsOffset)),
      progress(options.progress, session.isFirst()) {
  state.seed = options.seed.value_or(session.manifest.options.seed);
  if (!options.resume && !options.checkpoint.empty())
    requireNoCheckpoint(session, options.checkpoint);
  const bool resumed = options.resume && resumeRun(session, options.checkpoint, state);
  schedule.emplace(uint64_t(state.seed), trainData.size(), session.manifest.options.shuffle && !options.noShuffle,
                   std::move(shares), session.communicator.rank());
  agree(session.communicator, [&] {
    const ManifestOptions &compiled = session.manifest.options;
    learningRateSchedule = parseLearningRateSchedule(
        options.learningRateSchedule.empty() ? compiled.learningRateSchedule : options.learningRateSchedule,
        options.warmup.empty() ? compiled.warmup : options.warmup);
    if (options.seed && *options.seed != state.seed)
      throw inputError("--seed " + std::to_string(*options.seed) + ": the run was begun with seed " +
                       std::to_string(state.seed) + "; leave the option out to resume it");
    if (state.cursor.position >= schedule->datasetSize())
      throw inputError(options.checkpoint + ": was written in the middle of an epoch of more samples than there are");
    // Begun last: a run that is refused must not cost the log of an earlier one.
    log.emplace(session.isFirst() ? options.log : std::string(), options.resume);
  });
  firstStep = checkpointStep = state.cursor.step;
  if (!resumed)
    return;
  progress.line("resumed after step " + std::to_string(firstStep) + ", in epoch " +
                std::to_string(state.cursor.epoch + 1));
  compareLearningRates();
}

void Trainer::compareLearningRates() {
  const Cursor &cursor = state.cursor;
  const int64_t batch = schedule->globalBatch();
  const int64_t lastStep = cursor.epoch * schedule->stepsPerEpoch() + (cursor.position + batch - 1) / batch - 1;
  if (!state.learningRate || lastStep < 0)
    return;
  const double rate = learningRateOf(lastStep);
  if (std::abs(rate - state.learningRate) <= 1e-6 * state.learningRate)
    return;
  char text[200];
  std::snprintf(text, sizeof text,
                "note: the last step had the learning rate %.6g; by this run's options it would have been %.6g: give "
                "--lr, --lr-schedule and --warmup again to go on as before",
                state.learningRate, rate);
  progress.line(text);
}

bool Trainer::finished() const {
  return options.steps ? state.cursor.step >= *options.steps : state.cursor.epoch >= options.epochs.value_or(1);
}

int64_t Trainer::totalSteps() const {
  if (options.steps)
    return *options.steps;
  const int64_t epochs = options.epochs.value_or(1) - state.cursor.epoch;
  const int64_t batch = schedule->globalBatch();
  return state.cursor.step + epochs * schedule->stepsPerEpoch() - (state.cursor.position + batch - 1) / batch;
}

void Trainer::run() {
  while (!finished()) {
    trainStep();
    if (state.cursor.position == schedule->datasetSize())
      endEpoch();
    else if (options.checkpointEvery > 0 && state.cursor.step % options.checkpointEvery == 0)
      checkpoint(std::nullopt);
  }
  compareWeights(session.communicator, session.manifest, session.deviceClass, session.arena, state.cursor.step);
  if (checkpointStep != state.cursor.step || evaluatedStep != state.cursor.step) {
    const std::optional<Evaluation> evaluation = evaluateNow();
    checkpoint(evaluation);
  }
  progress.finish();
  char text[128];
  std::snprintf(text, sizeof text, "done: %lld steps, loss of the last one %.4f",
                static_cast<long long>(state.cursor.step), lastLoss);
  if (state.cursor.step > firstStep)
    progress.line(text + (options.checkpoint.empty()
                              ? std::string()
                              : "; " + options.checkpoint + "/" + checkpointFileName(state.cursor.step)));
}

double Trainer::learningRateOf(int64_t step) const {
  const int64_t stepsPerEpoch = schedule->stepsPerEpoch();
  const int64_t runSteps = options.steps.value_or(options.epochs.value_or(1) * stepsPerEpoch);
  return options.learningRate.value_or(session.manifest.options.learningRate) *
         learningRateFactor(learningRateSchedule, step, stepsPerEpoch, runSteps);
}

double Trainer::learningRate() {
  const Cursor &cursor = state.cursor;
  if (learningRatesEpoch != cursor.epoch) {
    const int64_t steps = schedule->stepsPerEpoch(), first = cursor.epoch * steps;
    learningRates.clear();
    for (int64_t step = first; step < first + steps; ++step)
      learningRates.push_back(learningRateOf(step));
    // Rank 0's, for all: the machines' libraries round cosines and powers in their own ways, replicas must not.
    broadcast(session.communicator, learningRates.data(), learningRates.size() * sizeof(double));
    learningRatesEpoch = cursor.epoch;
  }
  return learningRates[size_t(cursor.position / schedule->globalBatch())];
}

void Trainer::enqueue(int64_t position) {
  StepSlice slice = schedule->slice(state.cursor.epoch, position);
  for (auto first = slice.samples.begin(); first != slice.samples.end();) {
    const auto last = first + std::min<int64_t>(session.deviceClass.microBatch, slice.samples.end() - first);
    session.reader.enqueue({&trainData, &session.deviceClass.input, {first, last}});
    first = last;
  }
  ahead = std::move(slice);
}

void Trainer::trainStep() {
  Cursor &cursor = state.cursor;
  StepTimes times;
  if (!ahead)
    enqueue(cursor.position);
  const StepSlice slice = std::move(*ahead);
  ahead.reset();
  // The next step's samples are read while this one is worked on; not across an evaluation, which needs the reader.
  const int64_t next = cursor.position + slice.total();
  const bool last = options.steps && cursor.step + 1 >= *options.steps;
  if (next < schedule->datasetSize() && !last)
    enqueue(next);

  const double rate = learningRate();
  state.learningRate = rate;
  const double divisor = lossDivisor.divisor(lossDivisor.weight(trainData, slice.all));
  const StepCall call{.scale = 1.0f / float(divisor),
                      .sampleWeight = 1.0f / float(slice.total()),
                      .learningRate = float(rate),
                      .seed = uint32_t(state.seed),
                      .step = uint32_t(cursor.step)};
  const double lossSum = runForwardBackward(int64_t(slice.samples.size()), call);
  times.computeMs = millisecondsSince(times.begin);
  reduceAndUpdate(call, times);
  ++cursor.step;
  cursor.position = next;
  if (options.hashEvery > 0 && cursor.step % options.hashEvery == 0)
    compareWeights(session.communicator, session.manifest, session.deviceClass, session.arena, cursor.step);
  report(lossSum, divisor, slice.total(), rate, times);
}

double Trainer::runForwardBackward(int64_t samples, StepCall call) {
  const ManifestClass &deviceClass = session.deviceClass;
  Arena &arena = session.arena;
  if (samples == 0) {
    std::fill_n(arena.at<float>(deviceClass.gradientsOffset), session.manifest.gradientElements, 0.0f);
    for (int64_t bucket = 0; bucket < reducer.buckets(); ++bucket)
      reducer.signal(bucket);
    return 0;
  }
  const std::function<void(int64_t)> signal = [this](int64_t bucket) { reducer.signal(bucket); };
  int32_t *sampleIds = deviceClass.sampleIds.name.empty() ? nullptr : arena.at<int32_t>(deviceClass.sampleIds.offset);
  const float weightOfOne = call.sampleWeight;
  const int64_t lossesOfOne = elementCount(deviceClass.loss.shape);
  double lossSum = 0;
  for (int64_t done = 0; done < samples;) {
    const int64_t count = session.reader.take(arena.at<float>(deviceClass.input.offset),
                                              arena.at<char>(deviceClass.labels.offset), sampleIds);
    call.samples = int32_t(count);
    call.accumulate = done > 0;
    call.sampleWeight = float(count) * weightOfOne;
    done += count;
    session.steps.forwardBackward(call, done == samples ? signal : nullptr);
    const float *losses = arena.at<float>(deviceClass.loss.offset);
    for (int64_t i = 0; i < count * lossesOfOne; ++i)
      lossSum += losses[i];
  }
  return lossSum;
}

void Trainer::reduceAndUpdate(const StepCall &call, StepTimes &times) {
  const auto wait = [&](int64_t bucket) {
    const Clock::time_point begin = Clock::now();
    reducer.wait(bucket);
    times.waitedMs += millisecondsSince(begin);
  };
  const Manifest &manifest = session.manifest;
  const double clipNorm = options.clipNorm.value_or(manifest.options.clipNorm);
  if (clipNorm > 0) {
    for (int64_t bucket = 0; bucket < reducer.buckets(); ++bucket)
      wait(bucket);
    clipGradients(manifest, session.arena.at<float>(session.deviceClass.gradientsOffset), clipNorm);
  }
  for (int64_t bucket = 0; bucket < reducer.buckets(); ++bucket) {
    if (clipNorm == 0)
      wait(bucket);
    const ManifestBucket &range = manifest.buckets[size_t(bucket)];
    session.steps.update(call, range.first, range.last);
  }
}

void Trainer::report(double lossSum, double divisor, int64_t samples, double learningRate, const StepTimes &times) {
  const std::vector<char> sums = gather(session.communicator, &lossSum, sizeof lossSum);
  if (!session.isFirst())
    return;
  double total = 0;
  for (size_t at = 0; at < sums.size(); at += sizeof lossSum) {
    std::memcpy(&lossSum, sums.data() + at, sizeof lossSum);
    total += lossSum;
  }
  const Cursor &cursor = state.cursor;
  StepRecord record{cursor.step, cursor.epoch + 1, total / divisor, learningRate};
  record.stepMs = millisecondsSince(times.begin);
  record.computeMs = times.computeMs;
  record.exposedCommunicationMs = times.waitedMs;
  record.imagesPerSecond = double(samples) / record.stepMs * 1000;
  log->write(record);
  lastLoss = record.loss;
  if (!std::isfinite(record.loss))
    throw runError("the loss of step " + std::to_string(cursor.step) + " is not a finite number: " +
                   (cursor.step == 1 ? "look for NaN or infinite numbers in the data and in the model's weights"
                                     : "the training diverged; try a smaller --lr"));
  char text[128];
  std::snprintf(text, sizeof text, "epoch %lld, step %lld of %lld, loss %.4f, %.0f images/s",
                static_cast<long long>(record.epoch), static_cast<long long>(record.step),
                static_cast<long long>(totalSteps()), record.loss, record.imagesPerSecond);
  progress.step(cursor.step - firstStep, totalSteps() - firstStep, text);
}

void Trainer::endEpoch() {
  state.cursor.position = 0;
  ++state.cursor.epoch;
  std::optional<Evaluation> evaluation;
  if (options.validateEvery > 0 && state.cursor.epoch % options.validateEvery == 0)
    evaluation = evaluateNow();
  checkpoint(evaluation);
}

std::optional<Evaluation> Trainer::evaluateNow() {
  evaluatedStep = state.cursor.step;
  if (!testData || options.validateEvery == 0)
    return std::nullopt;
  Evaluation evaluation = evaluate(session, *testData, /*keepLogits=*/false, [](int64_t, int64_t) {});
  // In the middle of an epoch it is that epoch's, after one the one that ended.
  const int64_t epoch = state.cursor.epoch + (state.cursor.position > 0 ? 1 : 0);
  if (session.isFirst())
    log->write(EvaluationRecord{epoch, evaluation.accuracy, evaluation.loss});
  progress.line("epoch " + std::to_string(epoch) + ": " + describe(evaluation));
  return evaluation;
}

void Trainer::checkpoint(const std::optional<Evaluation> &evaluation) {
  checkpointStep = state.cursor.step;
  const bool best = evaluation && evaluation->score() > state.bestScore;
  if (best)
    state.bestScore = evaluation->score();
  if (!options.checkpoint.empty())
    saveCheckpoint(session, options.checkpoint, state, evaluation, best);
}

} // namespace partyline::runtime
