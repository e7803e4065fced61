//===- checkpoint_retention_test.cpp --------------------------------------===//
#include "runtime/checkpoint/retention.h"
#include "tests/runtime/data_files.h"

#include <algorithm>

using namespace partyline;
using namespace partyline::runtime;
using partyline::testing::expectError;
using partyline::testing::readFile;
using partyline::testing::TemporaryFolder;
using partyline::testing::writeFile;

namespace {

struct RetentionTest : ::testing::Test {
  std::string write(int64_t step) {
    Checkpoint checkpoint;
    checkpoint.step = step;
    checkpoint.tensors = {{"w", "", {1}, {float(step)}}};
    return writeCheckpoint(folder.path, checkpoint);
  }

  void damage(const std::string &path) {
    std::string bytes = readFile(path);
    bytes[bytes.size() / 2] ^= 1;
    std::filesystem::remove(path); // a link must not be damaged with it
    writeFile(path, bytes);
  }

  /// The step that is found; -1 for none.
  int64_t found(CheckpointChoice choice) {
    notes.clear();
    auto checkpoint = findCheckpoint(folder.path, choice, [&](const std::string &text) { notes.push_back(text); });
    return checkpoint ? checkpoint->checkpoint.step : -1;
  }

  std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path))
      found.push_back(entry.path().filename().native());
    std::sort(found.begin(), found.end());
    return found;
  }

  TemporaryFolder folder;
  std::vector<std::string> notes;
};

} // namespace

TEST_F(RetentionTest, FindsTheLatestAndTheBest) {
  EXPECT_EQ(found(CheckpointChoice::latest), -1);
  std::string best = write(20);
  write(100000000); // nine digits: after eight, also where text would say otherwise
  write(99999999);
  EXPECT_EQ(found(CheckpointChoice::latest), 100000000);
  EXPECT_EQ(found(CheckpointChoice::best), 100000000);
  markBest(folder.path, best);
  EXPECT_EQ(found(CheckpointChoice::best), 20);
  EXPECT_EQ(found(CheckpointChoice::latest), 100000000);
  EXPECT_TRUE(notes.empty());
}

TEST_F(RetentionTest, TakesAFileAsItIs) {
  std::string path = write(3);
  write(4);
  auto note = [](const std::string &) {};
  EXPECT_EQ(findCheckpoint(path, CheckpointChoice::latest, note)->checkpoint.step, 3);
  EXPECT_FALSE(findCheckpoint(folder / "nowhere", CheckpointChoice::latest, note));
  damage(path);
  expectError([&] { findCheckpoint(path, CheckpointChoice::latest, note); }, {path, "damaged"});
}

TEST_F(RetentionTest, PassesOverDamagedFiles) {
  write(1);
  std::string second = write(2), third = write(3);
  damage(third);
  EXPECT_EQ(found(CheckpointChoice::latest), 2);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find(third), std::string::npos);
  writeFile(second, "");
  EXPECT_EQ(found(CheckpointChoice::latest), 1);
  EXPECT_EQ(notes.size(), 2u);
}

TEST_F(RetentionTest, TheBestIsTheLastResortAndTheOtherWayRound) {
  std::string path = write(5);
  markBest(folder.path, path);
  damage(path);
  EXPECT_EQ(found(CheckpointChoice::latest), 5); // by best.ckpt
  EXPECT_EQ(notes.size(), 1u);
  write(6);
  damage(folder / "best.ckpt");
  EXPECT_EQ(found(CheckpointChoice::best), 6);
  EXPECT_EQ(notes.size(), 1u);
}

TEST_F(RetentionTest, AllDamagedIsAnError) {
  damage(write(1));
  damage(write(2));
  expectError([&] { found(CheckpointChoice::latest); }, {folder.path, "none of its 2"});
  EXPECT_EQ(notes.size(), 2u);
}

TEST_F(RetentionTest, KeepsTheLastTwoAndTheBest) {
  for (int64_t step = 1; step <= 5; ++step) {
    std::string path = write(step);
    if (step == 2)
      markBest(folder.path, path);
    writeFile(path + ".tmp", "left by an interrupted write");
    pruneCheckpoints(folder.path);
  }
  writeFile(folder / "step-x.ckpt", "not ours");
  writeFile(folder / "log.jsonl", "not ours");
  pruneCheckpoints(folder.path);
  EXPECT_EQ(names(), (std::vector<std::string>{"best.ckpt", "log.jsonl", "step-00000004.ckpt", "step-00000005.ckpt",
                                               "step-x.ckpt"}));
  EXPECT_EQ(found(CheckpointChoice::best), 2);
  EXPECT_EQ(found(CheckpointChoice::latest), 5);
}

TEST_F(RetentionTest, MarkingAgainReplaces) {
  std::string first = write(1), second = write(2);
  markBest(folder.path, first);
  markBest(folder.path, first); // rename does nothing between two links to one file
  markBest(folder.path, second);
  EXPECT_EQ(found(CheckpointChoice::best), 2);
  EXPECT_EQ(names(), (std::vector<std::string>{"best.ckpt", "step-00000001.ckpt", "step-00000002.ckpt"}));
  // Writing the same step again leaves the best as it was.
  Checkpoint other;
  other.step = 2;
  other.epoch = 77;
  writeCheckpoint(folder.path, other);
  EXPECT_EQ(readCheckpoint(folder / "best.ckpt").epoch, 0);
}
