//===- evaluate.cpp -------------------------------------------------------===//
#include "runtime/worker/evaluate.h"

#include "runtime/communication/collectives.h"
#include "runtime/shared/layout.h"
#include "runtime/worker/loss_divisor.h"
#include "runtime/worker/shares.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace partyline::runtime {

/// How many classes the network prefers to the right one, of scores `stride` apart. Ties go to the lower class; NaN
/// loses to everything.
static int64_t placeOfLabel(const float *logits, int64_t classes, int64_t stride, int32_t label) {
  const float own = logits[label * stride];
  if (std::isnan(own))
    return classes;
  int64_t preferred = 0;
  for (int64_t i = 0; i < classes; ++i)
    preferred += logits[i * stride] > own || (logits[i * stride] == own && i < label);
  return preferred;
}

/// The labels of the micro-batch that was taken; where the loss takes numbers, the place of the 1 in each sample's.
static std::vector<int32_t> takenLabels(const Session &session, int64_t count) {
  const ManifestBuffer &buffer = session.deviceClass.evaluateLabels;
  const int64_t elements = elementCount(buffer.shape);
  if (takesLabels(session.manifest.options)) {
    const int32_t *labels = session.arena.at<int32_t>(buffer.offset);
    return {labels, labels + count * elements};
  }
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < count; ++i) {
    const float *targets = session.arena.at<float>(buffer.offset) + i * elements;
    labels.push_back(int32_t(std::max_element(targets, targets + elements) - targets));
  }
  return labels;
}

/// The samples of a micro-batch from `first` on.
static std::vector<uint32_t> batchFrom(const Session &session, int64_t first, int64_t last) {
  std::vector<uint32_t> samples(size_t(std::clamp<int64_t>(last - first, 0, session.deviceClass.microBatch)));
  std::iota(samples.begin(), samples.end(), uint32_t(first));
  return samples;
}

/// Micro-batches are read one ahead of the one that is worked on.
static void enqueueBatch(const Session &session, const Dataset &dataset, int64_t first, int64_t last) {
  if (first < last)
    session.reader.enqueue({&dataset, &session.deviceClass.evaluateInput, batchFrom(session, first, last)});
}

/// Rank 0 gets the rows of all ranks, in order.
static std::vector<float> gatherRows(Communicator &communicator, const std::vector<float> &own, const Shares &shares,
                                     int64_t width) {
  if (communicator.rank() != 0) {
    communicator.send(0, Tag::gather, own.data(), own.size() * sizeof(float));
    return {};
  }
  std::vector<float> all = own;
  all.resize(size_t(std::accumulate(shares.begin(), shares.end(), int64_t(0)) * width));
  float *place = all.data() + own.size();
  for (int rank = 1; rank < communicator.size(); ++rank) {
    const int64_t count = shares[size_t(rank)] * width;
    communicator.receive(rank, Tag::gather, place, size_t(count) * sizeof(float));
    place += count;
  }
  return all;
}

Evaluation evaluate(const Session &session, const Dataset &dataset, bool keepLogits,
                    const std::function<void(int64_t, int64_t)> &done) {
  const ManifestClass &deviceClass = session.deviceClass;
  Communicator &communicator = session.communicator;
  const ManifestBuffer &logitsBuffer = deviceClass.evaluateLogits;
  const int64_t width = elementCount(logitsBuffer.shape);
  const int64_t lossesOfOne = elementCount(deviceClass.evaluateLoss.shape);
  const LossDivisor lossDivisor(session.manifest, deviceClass, session.arena);
  const Shares shares = evenShares(dataset.size(), communicator.size());
  const int64_t begin = std::accumulate(shares.begin(), shares.begin() + communicator.rank(), int64_t(0));
  const int64_t end = begin + shares[size_t(communicator.rank())];

  std::vector<float> rows, row(static_cast<size_t>(width));
  double sums[5] = {}; // top 1, top 5, labels that count; losses, their weight
  // One label for a sample's scores, or one for each place that has a score for every class.
  const int64_t places = takesLabels(session.manifest.options) ? lossesOfOne : 1, classes = width / places;
  const bool hasAccuracy = dataset.hasLabels() && classes > 1;
  std::vector<int32_t> labels;
  enqueueBatch(session, dataset, begin, end);
  for (int64_t first = begin; first < end; first += deviceClass.microBatch) {
    enqueueBatch(session, dataset, first + deviceClass.microBatch, end);
    const int64_t count = session.reader.take(session.arena.at<float>(deviceClass.evaluateInput.offset),
                                              session.arena.at<char>(deviceClass.evaluateLabels.offset), nullptr);
    // The table may reuse the labels' memory once the loss is computed.
    if (hasAccuracy)
      labels = takenLabels(session, count);
    session.steps.evaluate({.samples = int32_t(count), .scale = 1, .sampleWeight = float(count)});
    const float *losses = session.arena.at<float>(deviceClass.evaluateLoss.offset);
    sums[3] = std::accumulate(losses, losses + count * lossesOfOne, sums[3]);
    sums[4] += lossDivisor.weight(dataset, batchFrom(session, first, end));
    for (int64_t i = 0; i < count; ++i) {
      loadFromLayout(session.arena.at<float>(logitsBuffer.offset) + i * width, logitsBuffer.shape, logitsBuffer.layout,
                     row.data());
      for (int64_t p = 0; hasAccuracy && p < places; ++p)
        if (const int32_t label = labels[size_t(i * places + p)]; lossDivisor.keeps(label)) {
          const int64_t place = placeOfLabel(row.data() + p, classes, places, label);
          sums[0] += place < 1;
          sums[1] += place < 5;
          ++sums[2];
        }
      if (keepLogits)
        rows.insert(rows.end(), row.begin(), row.end());
    }
    done(first + count - begin, end - begin);
  }

  sumInRankOrder(communicator, sums, 5);
  Evaluation result{dataset.size(), std::nullopt, sums[3] / lossDivisor.divisor(sums[4]), {}};
  if (hasAccuracy)
    result.accuracy = {sums[0] / std::max(sums[2], 1.0), sums[1] / std::max(sums[2], 1.0), int64_t(sums[2])};
  if (keepLogits)
    result.logits = gatherRows(communicator, rows, shares, width);
  return result;
}

std::string describe(const Evaluation &evaluation) {
  char text[160];
  if (const std::optional<Accuracy> &accuracy = evaluation.accuracy)
    std::snprintf(text, sizeof text, "%.2f %% top 1 (%.0f of %lld), %.2f %% top 5, loss %.4f", accuracy->top1 * 100,
                  std::round(accuracy->top1 * double(accuracy->labels)), static_cast<long long>(accuracy->labels),
                  accuracy->top5 * 100, evaluation.loss);
  else
    std::snprintf(text, sizeof text, "loss %.4f (%lld samples)", evaluation.loss,
                  static_cast<long long>(evaluation.samples));
  return text;
}

} // namespace partyline::runtime
