//===- batch_norm_test.cpp - statistics, normalisation and gradients ------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

constexpr double epsilon = 1e-5; // as the programs below say
enum { statistics, forward, parameterGradient, inputGradient, inferenceGradient, kernelsPerCount };

KernelSpec program(const std::string &text, const std::string &shapes, int channels) {
  return {"elements", {{"channels", int64_t(channels)}, {"program", text}, {"shapes", shapes}}};
}

std::vector<KernelSpec> specsOf(const std::vector<int> &channelCounts) {
  std::vector<KernelSpec> specs;
  for (int channels : channelCounts) {
    specs.push_back({"batch_norm_statistics", {{"channels", int64_t(channels)}}});
    specs.push_back(program("batch_norm_inference 0 3 4 1 2 epsilon=1e-05", "mvvvv", channels));
    specs.push_back(program("batch_norm_parameter_gradient 0 1 2 3 epsilon=1e-05", "mmvv", channels));
    specs.push_back(program("batch_norm_input_gradient 0 1 2 3 4 5 6 epsilon=1e-05", "mmvvvvv", channels));
    specs.push_back(program("batch_norm_inference_gradient 0 1 2 epsilon=1e-05", "mvv", channels));
  }
  return specs;
}

TEST(BatchNorm, MatchesLoops) {
  const std::vector<int> channelCounts = {1, 3, 10, 17, 64, 130};
  KernelLibrary library(specsOf(channelCounts));
  std::mt19937 generator(8);
  for (size_t k = 0; k < channelCounts.size(); ++k) {
    const int channels = channelCounts[k];
    auto kernel = [&](int which) { return kernelsPerCount * k + which; };
    for (int rows : {1, 2, 15, 16, 17, 100, 511, 513, 2500}) {
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(channels));
      Tensor x = Tensor::random({rows, channels}, generator, -1, 3), dy = Tensor::random({rows, channels}, generator);
      Tensor scale = Tensor::random({channels}, generator), bias = Tensor::random({channels}, generator);
      Tensor mean({channels}), variance({channels}), y({rows, channels}), dscale({channels}), dbias({channels}),
          dx({rows, channels}), given({rows, channels});
      library.run(kernel(statistics), {}, {&x, &mean, &variance});
      library.run(kernel(forward), {}, {&x, &mean, &variance, &scale, &bias, &y});
      library.run(kernel(parameterGradient), {}, {&x, &dy, &mean, &variance, &dscale, &dbias});
      library.run(kernel(inputGradient), {}, {&x, &dy, &mean, &variance, &scale, &dscale, &dbias, &dx});
      library.run(kernel(inferenceGradient), {}, {&dy, &variance, &scale, &given});

      std::vector<double> means(channels, 0), variances(channels, 0), dscales(channels, 0), dbiases(channels, 0);
      auto at = [&](const Tensor &t, int m, int c) { return double(t[size_t(m) * channels + c]); };
      for (int c = 0; c < channels; ++c) {
        for (int m = 0; m < rows; ++m)
          means[c] += at(x, m, c) / rows;
        for (int m = 0; m < rows; ++m)
          variances[c] += (at(x, m, c) - means[c]) * (at(x, m, c) - means[c]) / rows;
        for (int m = 0; m < rows; ++m) {
          dscales[c] += at(dy, m, c) * (at(x, m, c) - means[c]) / std::sqrt(variances[c] + epsilon);
          dbiases[c] += at(dy, m, c);
        }
      }
      expectClose(mean, means, 1e-6, "mean");
      expectClose(variance, variances, 1e-6, "variance");
      // One row has variance 0, two may nearly: the formulas multiply rounding errors by up to 1/sqrt(epsilon) = 316.
      const double tolerance = rows <= 2 ? 2e-4 : 5e-6;
      expectClose(dscale, dscales, tolerance * std::sqrt(rows), "dscale");
      expectClose(dbias, dbiases, 1e-6 * std::sqrt(rows), "dbias");
      std::vector<double> ys(y.size()), dxs(y.size()), givens(y.size());
      for (int m = 0; m < rows; ++m)
        for (int c = 0; c < channels; ++c) {
          const double inverse = 1 / std::sqrt(variances[c] + epsilon), xhat = (at(x, m, c) - means[c]) * inverse;
          const size_t i = size_t(m) * channels + c;
          ys[i] = xhat * scale[c] + bias[c];
          givens[i] = scale[c] * inverse * at(dy, m, c);
          dxs[i] = scale[c] * inverse / rows * (rows * at(dy, m, c) - dbiases[c] - xhat * dscales[c]);
        }
      expectClose(y, ys, tolerance, "y");
      expectClose(dx, dxs, tolerance, "dx");
      expectClose(given, givens, tolerance, "dx of given statistics");

      // In place and on three threads: the same bits.
      setThreads(3);
      Tensor mean3({channels}), variance3({channels}), x3 = x, dy3 = dy, given3 = dy;
      library.run(kernel(statistics), {}, {&x, &mean3, &variance3});
      library.run(kernel(inputGradient), {}, {&x, &dy3, &mean, &variance, &scale, &dscale, &dbias, &dy3});
      library.run(kernel(inferenceGradient), {}, {&given3, &variance, &scale, &given3});
      library.run(kernel(forward), {}, {&x3, &mean, &variance, &scale, &bias, &x3});
      setThreads(1);
      EXPECT_EQ(std::memcmp(mean3.data<float>(), mean.data<float>(), channels * sizeof(float)), 0);
      EXPECT_EQ(std::memcmp(variance3.data<float>(), variance.data<float>(), channels * sizeof(float)), 0);
      EXPECT_EQ(std::memcmp(x3.data<float>(), y.data<float>(), y.size() * sizeof(float)), 0);
      EXPECT_EQ(std::memcmp(given3.data<float>(), given.data<float>(), y.size() * sizeof(float)), 0);
      EXPECT_EQ(std::memcmp(dy3.data<float>(), dx.data<float>(), y.size() * sizeof(float)), 0);
    }
  }
}

// Fused, an op makes the same bits as after another one, whose result it read from memory.
TEST(BatchNorm, FusedWithAnActivationMakesTheSameBits) {
  constexpr int rows = 300, channels = 19;
  const std::string normalise = "batch_norm_inference 0 1 2 3 4 epsilon=1e-05", clip = "maximum=1.5 minimum=-0.25";
  std::vector<KernelSpec> specs = {program(normalise, "mvvvv", channels),
                                   program("clip 0 " + clip, "m", 0),
                                   program("clip_gradient 0 1 " + clip, "mm", 0),
                                   program("batch_norm_parameter_gradient 0 1 2 3 epsilon=1e-05", "mmvv", channels),
                                   program(normalise + "; clip 5 " + clip, "mvvvv", channels),
                                   program("batch_norm_inference 0 4 5 2 3 epsilon=1e-05; clip 6 " + clip +
                                               "; clip_gradient 7 1 " + clip +
                                               "; batch_norm_parameter_gradient 0 8 2 3 epsilon=1e-05",
                                           "mmvvvv", channels)};
  enum { apart, clipped, clippedGradient, sums, together, sumsTogether };
  KernelLibrary library(specs);
  std::mt19937 generator(10);
  Tensor x = Tensor::random({rows, channels}, generator, -1, 3), dy = Tensor::random({rows, channels}, generator),
         scale = Tensor::random({channels}, generator), bias = Tensor::random({channels}, generator),
         mean = Tensor::random({channels}, generator), variance = Tensor::random({channels}, generator, 0.5, 2);
  const int elements = rows * channels;
  Tensor y({elements}), dz({elements}), fused({rows, channels}), flat({elements}), flatDy({elements});
  Tensor normalised({rows, channels}), dscale({channels}), dbias({channels}), dscale2({channels}), dbias2({channels});
  library.run(apart, {}, {&x, &scale, &bias, &mean, &variance, &normalised});
  std::memcpy(flat.data<float>(), normalised.data<float>(), elements * sizeof(float));
  std::memcpy(flatDy.data<float>(), dy.data<float>(), elements * sizeof(float));
  library.run(clipped, {}, {&flat, &y});
  library.run(clippedGradient, {}, {&y, &flatDy, &dz});
  Tensor dzRows({rows, channels});
  std::memcpy(dzRows.data<float>(), dz.data<float>(), elements * sizeof(float));
  library.run(sums, {}, {&x, &dzRows, &mean, &variance, &dscale, &dbias});
  library.run(together, {}, {&x, &scale, &bias, &mean, &variance, &fused});
  library.run(sumsTogether, {}, {&x, &dy, &mean, &variance, &scale, &bias, &dscale2, &dbias2});
  EXPECT_EQ(std::memcmp(fused.data<float>(), y.data<float>(), elements * sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(dscale2.data<float>(), dscale.data<float>(), channels * sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(dbias2.data<float>(), dbias.data<float>(), channels * sizeof(float)), 0);
}

// A mean of 1000 and a deviation of 0.01: the difference of the mean square and the squared mean would be noise.
TEST(BatchNorm, VarianceOfLargeNumbers) {
  KernelLibrary library(specsOf({5}));
  std::mt19937 generator(9);
  constexpr int rows = 50000;
  Tensor x = Tensor::random({rows, 5}, generator, -0.02f, 0.02f), mean({5}), variance({5});
  std::vector<double> means(5, 0), variances(5, 0);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] += 1000;
    means[i % 5] += double(x[i]) / rows;
  }
  for (size_t i = 0; i < x.size(); ++i)
    variances[i % 5] += (x[i] - means[i % 5]) * (x[i] - means[i % 5]) / rows;
  library.run(statistics, {}, {&x, &mean, &variance});
  for (int c = 0; c < 5; ++c) {
    EXPECT_NEAR(mean[c], means[c], 2e-4);
    EXPECT_NEAR(variance[c], variances[c], 1e-3 * variances[c]);
  }
}

} // namespace
