//===- train_test.cpp - whole runs with ranks that are threads ------------===//
//
// Trainer and evaluation on the tiny model over the thread network: what ThreadSanitizer can see of a run.
//
//===----------------------------------------------------------------------===//
#include "runtime/checkpoint/retention.h"
#include "runtime/threads/halide_hooks.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/worker/agreement.h"
#include "runtime/worker/train.h"
#include "runtime/worker/weights.h"
#include "tests/runtime/rank_threads.h"
#include "tests/runtime/tiny_model.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace partyline;
using namespace partyline::runtime;
using namespace partyline::testing;

extern "C" const StepLibrary partyline_step_library;

namespace {

/// A rank without a file: the tiny library is linked in.
struct Rank {
  Rank(const Manifest &manifest, Communicator &communicator)
      : arena(tiny::kArenaBytes), steps(partyline_step_library, manifest.classes[0], arena),
        reader(tiny::kMicroBatch, tiny::kInputs, 1, true), session{communicator, manifest, manifest.classes[0],
                                                                   arena,        steps,    reader} {
    const std::vector<float> weights = tiny::initialWeights();
    std::copy(weights.begin(), weights.end(), arena.at<float>(tiny::kWeights));
  }
  Arena arena;
  StepLoop steps;
  BatchReader reader;
  Session session;
};

class TinyRun {
public:
  /// 29 samples: steps of 8, the last of an epoch of 5.
  TinyRun() : manifest(tiny::manifest()) {
    options.data = tiny::writeData(folder.path, 29, 10);
    options.progress = "none";
    options.epochs = 2;
  }

  /// Trains on `ranks` threads; weights of rank 0 afterwards, losses in `losses`.
  std::vector<float> train(int ranks, const std::string &shares = "") {
    options.log = folder / "log.jsonl";
    options.shares = shares;
    std::vector<float> weights;
    runRanks(ranks, [&](Communicator &communicator, Communicator &reduction) {
      const DatasetShape shape{{2, 2, 4}, 3};
      const auto trainData = openDataset(options.data, Split::train, shape, {});
      const auto testData = openDataset(options.data, Split::test, shape, {});
      Rank rank(manifest, communicator);
      Trainer(rank.session, reduction, *trainData, testData.get(),
              chooseShares(options, {"", manifest}, communicator.size()), options)
          .run();
      if (communicator.rank() == 0)
        weights.assign(rank.arena.at<float>(0), rank.arena.at<float>(0) + tiny::kWeightElements);
    });
    readLog();
    return weights;
  }

  void readLog() {
    losses.clear();
    learningRates.clear();
    evaluations.clear();
    std::istringstream lines(readFile(options.log));
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json record = nlohmann::json::parse(line);
      if (record.contains("step")) {
        losses.push_back(record.at("loss"));
        learningRates.push_back(record.at("lr"));
      } else {
        evaluations.push_back(record.at("top1"));
      }
    }
  }

  TemporaryFolder folder;
  Manifest manifest;
  TrainOptions options;
  std::vector<double> losses, learningRates, evaluations;
};

void expectNear(const std::vector<double> &a, const std::vector<double> &b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 1e-5 * std::max(1.0, std::abs(b[i]))) << "entry " << i;
}

} // namespace

TEST(Train, learns) {
  TinyRun run;
  run.options.epochs = 30;
  run.train(1);
  EXPECT_EQ(run.losses.size(), 120u);
  EXPECT_LT(run.losses.back(), 0.3 * run.losses.front());
  EXPECT_EQ(run.evaluations.size(), 30u);
  EXPECT_GE(run.evaluations.back(), 0.9);
}

// A loss that is a sum has the gradients of the mean times the samples, and the statistics of the mean.
TEST(Train, aSumIsDividedByNothing) {
  TinyRun mean, sum;
  sum.manifest.reduction.name = "sum";
  for (TinyRun *run : {&mean, &sum})
    run->options.steps = 1;
  mean.options.learningRate = 0.08;
  sum.options.learningRate = 0.01; // steps of 8 samples
  const std::vector<float> expected = mean.train(2), weights = sum.train(2);
  expectNear({weights.begin(), weights.end()}, {expected.begin(), expected.end()});
  EXPECT_NE(expected[tiny::kRunning], 0);
  EXPECT_NEAR(sum.losses[0], 8 * mean.losses[0], 1e-5);
}

// A plain double-precision loop over the same samples.
TEST(Train, agreesWithAReference) {
  TinyRun run;
  run.options.steps = 4;
  run.options.noShuffle = true;
  run.train(2);
  const auto data = openDataset(run.options.data, Split::train, {{2, 2, 4}, 3}, {});
  std::vector<double> weights(tiny::kWeightElements), momentum(48), x(16);
  const std::vector<float> initial = tiny::initialWeights();
  std::copy(initial.begin(), initial.end(), weights.begin());
  for (int64_t step = 0; step < 4; ++step) {
    const int64_t first = step * 8, last = std::min<int64_t>(first + 8, 29);
    std::vector<double> gradient(64, 0.0);
    double loss = 0;
    for (int64_t n = first; n < last; ++n) {
      float sample[16], logit[3];
      int32_t label;
      data->read(n, sample);
      data->readLabels(n, &label);
      for (int64_t c = 0; c < 2; ++c) // CHW to HWC
        for (int64_t i = 0; i < 8; ++i)
          x[size_t(i * 2 + c)] = sample[c * 8 + i];
      double sum = 0;
      for (int64_t k = 0; k < 3; ++k) {
        double value = weights[size_t(48 + k)];
        for (int64_t i = 0; i < 16; ++i)
          value += x[size_t(i)] * weights[size_t(i * 3 + k)];
        logit[k] = float(value);
        sum += std::exp(value);
      }
      loss += std::log(sum) - logit[label];
      for (int64_t k = 0; k < 3; ++k) {
        const double delta = (std::exp(logit[k]) / sum - (k == label)) / double(last - first);
        gradient[size_t(48 + k)] += delta;
        for (int64_t i = 0; i < 16; ++i)
          gradient[size_t(i * 3 + k)] += delta * x[size_t(i)];
      }
    }
    EXPECT_NEAR(run.losses[size_t(step)], loss / double(last - first), 1e-5) << "step " << step;
    for (size_t e = 0; e < 48; ++e)
      weights[e] -= 0.1 * (momentum[e] = tiny::kMomentumFactor * momentum[e] + gradient[e]);
    for (size_t e = 48; e < 51; ++e)
      weights[e] -= 0.1 * gradient[e];
  }
}

TEST(Train, ranksAndSharesDoNotMatter) {
  TinyRun run;
  const std::vector<float> one = run.train(1);
  const std::vector<double> losses = run.losses, evaluations = run.evaluations;
  const std::vector<std::pair<int, std::string>> cases = {{2, ""}, {3, ""}, {2, "1,3"}, {3, "0,8,0"}, {4, "5,1,1,1"}};
  for (const auto &[ranks, shares] : cases) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, shares " + shares);
    const std::vector<float> weights = run.train(ranks, shares);
    expectNear(run.losses, losses);
    EXPECT_EQ(run.evaluations, evaluations);
    for (size_t e = 0; e < 67; ++e)
      EXPECT_NEAR(weights[e], one[e], 1e-5) << "element " << e;
  }
}

TEST(Train, sameCommandSameBits) {
  TinyRun run;
  const std::vector<float> first = run.train(3);
  const std::vector<double> losses = run.losses;
  EXPECT_EQ(run.train(3), first);
  EXPECT_EQ(run.losses, losses);
}

TEST(Train, takesThePlannedShares) {
  TinyRun run;
  for (int64_t share : {7, 0, 1})
    run.manifest.hosts.push_back({"host", "localhost", run.manifest.classes[0].name, share});
  run.manifest.options.globalBatch = 8;
  const ClusterBinary binary{"", run.manifest};
  EXPECT_EQ(chooseShares(run.options, binary, 3), (Shares{7, 0, 1}));
  EXPECT_EQ(chooseShares(run.options, binary, 1), (Shares{8})) << "a trial with fewer ranks";
  run.options.globalBatch = 16;
  EXPECT_EQ(chooseShares(run.options, binary, 3), (Shares{14, 0, 2}));
  run.options.shares = "1,2,1";
  EXPECT_EQ(chooseShares(run.options, binary, 3), (Shares{4, 8, 4}));
}

// Stopped in the middle of an epoch, at its end, and resumed on another number of ranks.
TEST(Train, resumesWithTheSameBits) {
  for (int64_t stop : {1, 3, 4, 6}) {
    TinyRun whole;
    whole.options.steps = 8;
    const std::vector<float> expected = whole.train(2);
    TinyRun run;
    run.options.checkpoint = run.folder / "ckpt";
    run.options.checkpointEvery = 1;
    run.options.steps = stop;
    run.train(2);
    run.options.resume = true;
    run.options.steps = 8;
    EXPECT_EQ(run.train(2), expected) << "stopped after " << stop;
    EXPECT_EQ(run.losses, whole.losses) << "the log goes on";
  }
  TinyRun run;
  run.options.checkpoint = run.folder / "ckpt";
  run.options.steps = 3;
  run.train(1);
  run.options.resume = true;
  run.options.steps = 8;
  const std::vector<float> resumed = run.train(4);
  TinyRun whole;
  whole.options.steps = 8;
  const std::vector<float> expected = whole.train(1);
  for (size_t e = 0; e < 67; ++e)
    EXPECT_NEAR(resumed[e], expected[e], 1e-5);
}

// Four steps per epoch, a warm-up of two, a cosine of two epochs: 0.1 (1 + cos(pi t)) / 2 with t = (step - 2) / 6.
TEST(Train, followsTheLearningRateSchedule) {
  TinyRun run;
  run.manifest.options.learningRateSchedule = "cosine:2";
  run.manifest.options.warmup = "2steps";
  run.options.steps = 8;
  const std::vector<float> expected = run.train(2);
  expectNear(run.learningRates, {0.05, 0.1, 0.1, 0.0933012702, 0.075, 0.05, 0.025, 0.00669872981});
  const std::vector<double> learningRates = run.learningRates;

  run.options.checkpoint = run.folder / "ckpt";
  run.options.steps = 5;
  run.train(2);
  run.options.resume = true;
  run.options.steps = 8;
  EXPECT_EQ(run.train(2), expected) << "stopped and resumed";
  EXPECT_EQ(run.learningRates, learningRates);

  TinyRun other;
  other.manifest.options.learningRateSchedule = "cosine:2";
  other.options.learningRateSchedule = "step:1,0.5";
  other.options.learningRate = 0.2;
  other.train(1);
  expectNear(other.learningRates, {0.2, 0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1});
}

TEST(Train, clipsGradientsTheSameOnAllRanks) {
  TinyRun run;
  const std::vector<float> unclipped = run.train(1);
  run.options.clipNorm = 1e9;
  EXPECT_EQ(run.train(1), unclipped) << "no norm is as large";
  run.manifest.options.clipNorm = 0.05;
  run.options.clipNorm.reset();
  run.options.hashEvery = 1;
  const std::vector<float> one = run.train(1), three = run.train(3, "1,5,2");
  EXPECT_NE(one, unclipped);
  for (size_t e = 0; e < 67; ++e)
    EXPECT_NEAR(three[e], one[e], 1e-5) << "element " << e;

  // The first step moves the weights by lr * 0.05 exactly: without momentum so far, the norm of the move is that.
  run.options.steps = 1;
  const std::vector<float> moved = run.train(1), initial = tiny::initialWeights();
  double squares = 0;
  for (size_t e = 0; e < 51; ++e)
    squares += std::pow(double(moved[e]) - double(initial[e]), 2);
  EXPECT_NEAR(std::sqrt(squares), 0.1 * 0.05, 1e-6);
}

TEST(Train, refusesAScheduleThatItDoesNotKnow) {
  TinyRun run;
  run.manifest.options.learningRateSchedule = "zigzag";
  expectError([&] { run.train(2); }, {"zigzag", "learning-rate schedule", "cosine"});
}

TEST(Train, keepsTheBestAndTheLastTwoCheckpoints) {
  TinyRun run;
  run.options.epochs = 5;
  run.options.checkpoint = run.folder / "ckpt";
  run.train(2);
  const auto exists = [&](const std::string &name) { return std::filesystem::exists(run.folder / ("ckpt/" + name)); };
  EXPECT_FALSE(exists(checkpointFileName(12)));
  EXPECT_TRUE(exists(checkpointFileName(16)) && exists(checkpointFileName(20)));
  const Checkpoint best = readCheckpoint(run.folder / "ckpt/best.ckpt");
  EXPECT_EQ(best.metrics.at("top1"), *std::max_element(run.evaluations.begin(), run.evaluations.end()));
}

// A run begun anew would prune the later checkpoints of the one before.
TEST(Train, refusesToBeginInAFolderWithCheckpoints) {
  TinyRun run;
  run.options.checkpoint = run.folder / "ckpt";
  const std::vector<float> weights = run.train(2);
  expectError([&] { run.train(2); }, {run.options.checkpoint, "--resume"});
  run.options.resume = true;
  EXPECT_EQ(run.train(2), weights) << "nothing was lost";
}

TEST(Train, refusesAnotherSeedOnResume) {
  TinyRun run;
  run.options.checkpoint = run.folder / "ckpt";
  run.train(1);
  run.options.resume = true;
  run.options.seed = 4;
  expectError([&] { run.train(2); }, {"--seed 4", "seed 3"});
}

TEST(Train, stopsWhenTheLossIsNotFinite) {
  TinyRun run;
  run.options.learningRate = 1e30;
  expectError([&] { run.train(1); }, {"diverged", "--lr"}, kFailed);
}

TEST(Train, namesRanksWhoseWeightsDiffer) {
  const Manifest manifest = tiny::manifest();
  expectError(
      [&] {
        runRanks(4, [&](Communicator &communicator) {
          Rank rank(manifest, communicator);
          if (communicator.rank() == 2)
            rank.arena.at<float>(tiny::kWeights)[5] += 1e-6f;
          compareWeights(communicator, manifest, manifest.classes[0], rank.arena, 17);
        });
      },
      {"step 17", "rank 2 differ"}, kFailed);
}

TEST(Evaluate, countsEverySampleOnce) {
  TinyRun run;
  std::vector<float> logits;
  for (int ranks : {1, 2, 3, 4}) {
    std::vector<Evaluation> results(static_cast<size_t>(ranks));
    runRanks(ranks, [&](Communicator &communicator) {
      const auto data = openDataset(run.options.data, Split::train, {{2, 2, 4}, 3}, {});
      Rank rank(run.manifest, communicator);
      results[size_t(communicator.rank())] = evaluate(rank.session, *data, true, [](int64_t, int64_t) {});
    });
    EXPECT_EQ(results[0].samples, 29);
    ASSERT_EQ(results[0].logits.size(), 29u * 3);
    if (ranks == 1)
      logits = results[0].logits;
    EXPECT_EQ(results[0].logits, logits) << "in the order of the data, whatever the ranks";
    for (const Evaluation &result : results) {
      EXPECT_EQ(result.accuracy->top1, results[0].accuracy->top1);
      EXPECT_EQ(result.accuracy->top5, 1.0);
      EXPECT_NEAR(result.loss, results[0].loss, 1e-12);
    }
  }
}

TEST(Agreement, collectsWhatWentWrongWhere) {
  std::vector<std::string> messages(4);
  runRanks(4, [&](Communicator &communicator) {
    const int rank = communicator.rank();
    communicator.setHostNames({"a", "b", "c", "d"});
    agree(communicator, [] {});
    try {
      agree(communicator, [&] {
        if (rank == 1 || rank == 3)
          throw runError("no memory");
        if (rank == 2)
          throw inputError("no data");
      });
    } catch (const AgreedError &error) {
      messages[size_t(rank)] = std::to_string(error.exitCode) + error.what();
    }
  });
  EXPECT_EQ(messages[0], "2rank 1 (host b) and 1 more: no memory\nrank 2 (host c): no data");
  for (const std::string &message : messages)
    EXPECT_EQ(message.substr(0, 1), "2");
}
