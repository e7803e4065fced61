//===- cross_entropy_test.cpp - the loss of logits and its gradient -------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

std::vector<KernelSpec> bothOf(int channels, double smoothing, bool weighted = false, bool ignores = false) {
  const auto parameters = std::map<std::string, KernelSpec::Parameter>{{"channels", int64_t(channels)},
                                                                       {"smoothing", smoothing},
                                                                       {"weighted", int64_t(weighted)},
                                                                       {"ignores", int64_t(ignores)}};
  return {{"cross_entropy", parameters}, {"cross_entropy_gradient", parameters}};
}

TEST(CrossEntropy, MatchesLoops) {
  const std::vector<int> channelCounts = {1, 2, 10, 17, 1000, 1001};
  std::vector<KernelSpec> specs;
  for (int channels : channelCounts)
    for (const KernelSpec &spec : bothOf(channels, channels % 2 ? 0.1 : 0))
      specs.push_back(spec);
  KernelLibrary library(specs);
  std::mt19937 generator(11);
  for (size_t k = 0; k < channelCounts.size(); ++k) {
    const int channels = channelCounts[k];
    const double smoothing = channels % 2 ? 0.1 : 0;
    for (int rows : {1, 3, 8, 65})
      for (float range : {2.0f, 400.0f}) {
        SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(channels) + " up to " + std::to_string(range));
        Tensor logits = Tensor::random({rows, channels}, generator, -range, range);
        Tensor labels({rows}, ElementType::int32), loss({rows}), p({rows, channels}), gradient({rows, channels});
        for (int m = 0; m < rows; ++m)
          labels.data<int32_t>()[m] = generator() % channels;
        const float scale = 0.125f;
        library.run(2 * k, {}, {&logits, &labels, &loss, &p});
        library.run(2 * k + 1, {scale}, {&p, &labels, &gradient});
        std::vector<double> losses(rows), probabilities(p.size()), gradients(p.size());
        for (int m = 0; m < rows; ++m) {
          const size_t first = size_t(m) * channels;
          const int label = labels.data<int32_t>()[m];
          const double top = *std::max_element(logits.data<float>() + first, logits.data<float>() + first + channels);
          double sum = 0;
          for (int c = 0; c < channels; ++c)
            sum += std::exp(logits[first + c] - top);
          for (int c = 0; c < channels; ++c) {
            const double target = (1 - smoothing) * (c == label) + smoothing / channels;
            losses[m] += target * (std::log(sum) + top - logits[first + c]);
            probabilities[first + c] = std::exp(logits[first + c] - top) / sum;
            gradients[first + c] = (probabilities[first + c] - target) * scale;
          }
        }
        expectClose(loss, losses, 1e-6, "loss");
        expectClose(p, probabilities, 1e-6, "probabilities");
        expectClose(gradient, gradients, 1e-6, "gradient");

        // The probabilities may lie in the memory of the logits, the gradient in that of the probabilities.
        setThreads(2);
        Tensor inPlace = logits, again({rows});
        library.run(2 * k, {}, {&inPlace, &labels, &again, &inPlace});
        EXPECT_EQ(std::memcmp(again.data<float>(), loss.data<float>(), loss.size() * sizeof(float)), 0);
        EXPECT_EQ(std::memcmp(inPlace.data<float>(), p.data<float>(), p.size() * sizeof(float)), 0);
        library.run(2 * k + 1, {scale}, {&inPlace, &labels, &inPlace});
        EXPECT_EQ(std::memcmp(inPlace.data<float>(), gradient.data<float>(), p.size() * sizeof(float)), 0);
        setThreads(1);
      }
  }
}

// A row whose label is ignored may hold anything; the others are those of the kernel without weights, weighted.
TEST(CrossEntropy, WeighsClassesAndIgnoresALabel) {
  const int channels = 17, rows = 9, ignored = 3;
  std::vector<KernelSpec> specs = bothOf(channels, 0);
  for (const KernelSpec &spec : bothOf(channels, 0, true, true))
    specs.push_back(spec);
  KernelLibrary library(specs);
  std::mt19937 generator(12);
  Tensor logits = Tensor::random({rows, channels}, generator, -4, 4), weights({channels});
  Tensor labels({rows}, ElementType::int32), losses[] = {Tensor({rows}), Tensor({rows})};
  Tensor p({rows, channels}), gradients[] = {Tensor({rows, channels}), Tensor({rows, channels})};
  for (int c = 0; c < channels; ++c)
    weights.data<float>()[c] = float(1 << c % 4);
  for (int m = 0; m < rows; ++m)
    labels.data<int32_t>()[m] = m % 3 == 0 ? ignored : 4 + m;
  for (int c = 0; c < channels; ++c)
    logits.data<float>()[c] = INFINITY;
  library.run(0, {}, {&logits, &labels, &losses[0], &p});
  library.run(1, {0.25f}, {&p, &labels, &gradients[0]});
  library.run(2, {ignored}, {&logits, &labels, &weights, &losses[1], &p});
  library.run(3, {0.25f, ignored}, {&p, &labels, &weights, &gradients[1]});
  for (int m = 0; m < rows; ++m) {
    const int label = labels.data<int32_t>()[m];
    // Powers of two: exact.
    const auto counted = [&](float value) { return label == ignored ? 0 : value * weights[size_t(label)]; };
    EXPECT_EQ(losses[1][size_t(m)], counted(losses[0][size_t(m)])) << m;
    for (int c = 0; c < channels; ++c)
      EXPECT_EQ(gradients[1][size_t(m * channels + c)], counted(gradients[0][size_t(m * channels + c)])) << m;
  }
}

// A label out of range is an error that the worker reports; the kernel must not follow it out of the buffer.
TEST(CrossEntropy, WrongLabelsReadNothingOutside) {
  KernelLibrary library(bothOf(3, 0.1));
  Tensor logits({2, 3}, {1, 2, 3, 4, 5, 6}), labels({2}, ElementType::int32), loss({2}), p({2, 3}), gradient({2, 3});
  labels.data<int32_t>()[0] = -1000000000;
  labels.data<int32_t>()[1] = 1000000000;
  library.run(0, {}, {&logits, &labels, &loss, &p});
  library.run(1, {1.0f}, {&p, &labels, &gradient});
  EXPECT_TRUE(std::isfinite(loss[0]));
  EXPECT_TRUE(std::isfinite(loss[1]));
}

} // namespace
