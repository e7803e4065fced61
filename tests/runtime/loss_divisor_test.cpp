//===- loss_divisor_test.cpp - what the losses of a batch are divided by --===//
#include "runtime/worker/loss_divisor.h"
#include "tests/runtime/tiny_model.h"

using namespace partyline;
using namespace partyline::runtime;
using namespace partyline::testing;

namespace {

/// Samples of two labels each: 0 and 1, 2 and 9, 9 and 9, 2 and 2.
struct PairsOfLabels : Dataset {
  int64_t size() const override { return 4; }
  void read(int64_t, float *) const override {}
  void readLabels(int64_t index, int32_t *out) const override { std::copy_n(labels + 2 * index, 2, out); }
  const std::vector<std::string> &classNames() const override { return names; }

  const int32_t labels[8] = {0, 1, 2, 9, 9, 9, 2, 2};
  std::vector<std::string> names;
};

/// For labels of the tiny model's three classes, which weigh 0.5, 2 and 3.
double divisorOf(const ManifestReduction &reduction, const std::vector<uint32_t> &samples) {
  Manifest manifest = tiny::manifest();
  manifest.reduction = reduction;
  manifest.tensors.push_back({"weights", {3}, {}, TensorKind::constant, 16, 3});
  manifest.classes[0].labels.shape = {2};
  const Arena arena(tiny::kArenaBytes);
  std::copy_n(std::vector<float>{0.5, 2, 3}.begin(), 3, arena.at<float>(manifest.classes[0].weightsOffset) + 16);
  const LossDivisor divisor(manifest, manifest.classes[0], arena);
  return divisor.divisor(divisor.weight(PairsOfLabels(), samples));
}

} // namespace

TEST(LossDivisor, CountsWhatTheReductionCounts) {
  EXPECT_EQ(divisorOf({"mean", {}, ""}, {0, 3}), 4);
  EXPECT_EQ(divisorOf({"mean", 9, ""}, {0, 1, 2, 3}), 5);
  EXPECT_EQ(divisorOf({"mean", {}, "weights"}, {3, 0}), 8.5);
  EXPECT_EQ(divisorOf({"mean", 9, "weights"}, {0, 1, 2, 3}), 11.5);
  EXPECT_EQ(divisorOf({"mean", 2, "weights"}, {0, 3}), 2.5) << "a class may be ignored";
  EXPECT_EQ(divisorOf({"mean", 9, "weights"}, {2}), 1) << "nothing counts: all losses are 0";
  EXPECT_EQ(divisorOf({"none", 9, "weights"}, {0, 1, 2, 3}), 8);
  EXPECT_EQ(divisorOf({"sum", 9, "weights"}, {0, 1, 2, 3}), 1);
}
