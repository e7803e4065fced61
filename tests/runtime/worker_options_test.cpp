//===- worker_options_test.cpp - the command lines ------------------------===//
#include "runtime/worker/options.h"

#include <gtest/gtest.h>

using namespace partyline::runtime;

namespace {

TrainOptions parse(std::vector<std::string> arguments) {
  TrainOptions options;
  CLI::App app;
  addTrainOptions(app, options);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(arguments);
  return options;
}

const std::vector<std::string> kEverything = {"a.party",
                                              "--data",
                                              "d",
                                              "--epochs",
                                              "5",
                                              "--checkpoint",
                                              "ckpt",
                                              "--resume",
                                              "--checkpoint-every",
                                              "10",
                                              "--val-every",
                                              "0",
                                              "--no-shuffle",
                                              "--lr",
                                              "0.1",
                                              "--lr-schedule",
                                              "step:30,0.2",
                                              "--clip-norm",
                                              "0.7",
                                              "--warmup",
                                              "200steps",
                                              "--seed",
                                              "-7",
                                              "--global-batch",
                                              "64",
                                              "--log",
                                              "l.jsonl",
                                              "--shares",
                                              "1,3",
                                              "--threads",
                                              "2",
                                              "--watchdog",
                                              "12.5",
                                              "--memory-report",
                                              "m.json",
                                              "--hash-every",
                                              "7",
                                              "--progress",
                                              "plain"};

} // namespace

// The launcher hands on what it was given: reading it again gives the same.
TEST(WorkerOptions, goThroughTheLauncher) {
  const TrainOptions options = parse(kEverything);
  EXPECT_EQ(options.binary, "a.party");
  EXPECT_EQ(options.epochs, 5);
  EXPECT_EQ(options.steps, std::nullopt);
  EXPECT_EQ(options.learningRate, 0.1);
  EXPECT_EQ(options.seed, -7);
  EXPECT_EQ(options.watchdog, 12.5);
  EXPECT_EQ(options.validateEvery, 0);
  std::vector<std::string> arguments = workerArguments(options);
  ASSERT_EQ(arguments.front(), "train");
  arguments.erase(arguments.begin());
  const TrainOptions again = parse(arguments);
  EXPECT_EQ(workerArguments(again), workerArguments(options));
  EXPECT_EQ(again.learningRate, options.learningRate);
  EXPECT_EQ(again.shares, "1,3");
  EXPECT_EQ(again.learningRateSchedule, "step:30,0.2");
  EXPECT_EQ(again.warmup, "200steps");
  EXPECT_EQ(again.clipNorm, 0.7);
  EXPECT_TRUE(again.resume && again.noShuffle);

  EvaluateOptions evaluate{.binary = "a.party", .data = "d", .checkpoint = "c", .logits = "l.npy", .threads = 3};
  EXPECT_EQ(workerArguments(evaluate),
            (std::vector<std::string>{"evaluate", "a.party", "--data", "d", "--checkpoint", "c", "--logits", "l.npy",
                                      "--threads", "3", "--watchdog", "300"}));
}

TEST(WorkerOptions, refuseNonsense) {
  const std::vector<std::vector<std::string>> wrong = {
      {"a.party"},                                                 // no data
      {"a.party", "--data", "d", "--epochs", "0"},                 //
      {"a.party", "--data", "d", "--epochs", "x"},                 //
      {"a.party", "--data", "d", "--epochs", "1", "--steps", "1"}, //
      {"a.party", "--data", "d", "--resume"},                      // from where?
      {"a.party", "--data", "d", "--lr", "-1"},                    //
      {"a.party", "--data", "d", "--lr", "nan"},                   //
      {"a.party", "--data", "d", "--lr-schedule", "linear"},       //
      {"a.party", "--data", "d", "--warmup", "5epochs"},           //
      {"a.party", "--data", "d", "--watchdog", "-3"},              //
      {"a.party", "--data", "d", "--unknown"},                     //
  };
  for (const std::vector<std::string> &arguments : wrong)
    EXPECT_THROW(parse(arguments), CLI::ParseError) << arguments.back();
}
