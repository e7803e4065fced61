//===- softmax_test.cpp - softmax, its logarithm and their gradients ------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

enum { softmax, softmaxGradient, logSoftmax, logSoftmaxGradient, kernelsPerCount };

TEST(Softmax, MatchesLoops) {
  const std::vector<int> channelCounts = {1, 2, 3, 10, 17, 100, 1001, 5000};
  std::vector<KernelSpec> specs;
  for (int channels : channelCounts)
    for (const char *family : {"softmax", "softmax_gradient", "log_softmax", "log_softmax_gradient"})
      specs.push_back({family, {{"channels", int64_t(channels)}}});
  KernelLibrary library(specs);
  std::mt19937 generator(10);
  for (size_t k = 0; k < channelCounts.size(); ++k) {
    const int channels = channelCounts[k];
    auto kernel = [&](int which) { return kernelsPerCount * k + which; };
    for (int rows : {1, 2, 9, 70})
      for (float range : {1.0f, 300.0f}) { // exp(300) is no float
        SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(channels) + " up to " + std::to_string(range));
        Tensor x = Tensor::random({rows, channels}, generator, -range, range);
        Tensor dy = Tensor::random({rows, channels}, generator);
        Tensor y({rows, channels}), logs({rows, channels}), dx({rows, channels}), dlogs({rows, channels});
        library.run(kernel(softmax), {}, {&x, &y});
        library.run(kernel(softmaxGradient), {}, {&y, &dy, &dx});
        library.run(kernel(logSoftmax), {}, {&x, &logs});
        library.run(kernel(logSoftmaxGradient), {}, {&logs, &dy, &dlogs});
        std::vector<double> ys(x.size()), dxs(x.size()), logsExpected(x.size()), dlogsExpected(x.size());
        for (int m = 0; m < rows; ++m) {
          const size_t first = size_t(m) * channels;
          const double top = *std::max_element(x.data<float>() + first, x.data<float>() + first + channels);
          double sum = 0, weighted = 0, plain = 0;
          for (size_t i = first; i < first + channels; ++i)
            sum += std::exp(x[i] - top);
          for (size_t i = first; i < first + channels; ++i) {
            ys[i] = std::exp(x[i] - top) / sum;
            logsExpected[i] = x[i] - top - std::log(sum);
            weighted += ys[i] * dy[i];
            plain += dy[i];
          }
          for (size_t i = first; i < first + channels; ++i) {
            dxs[i] = ys[i] * (dy[i] - weighted);
            dlogsExpected[i] = dy[i] - ys[i] * plain;
          }
        }
        for (size_t i = 0; i < x.size(); ++i)
          ASSERT_NEAR(y[i], ys[i], 3e-6 * ys[i] + 1e-37) << "element " << i;
        expectClose(dx, dxs, 1e-6, "gradient of softmax");
        expectClose(logs, logsExpected, 1e-6, "log_softmax");
        // exp(y) of a y around 6 is off by 6 units in the last place before anything is computed.
        expectClose(dlogs, dlogsExpected, 5e-6, "gradient of log_softmax");

        setThreads(3);
        Tensor inPlace = x;
        library.run(kernel(softmax), {}, {&inPlace, &inPlace});
        EXPECT_EQ(std::memcmp(inPlace.data<float>(), y.data<float>(), y.size() * sizeof(float)), 0);
        inPlace = x;
        library.run(kernel(logSoftmax), {}, {&inPlace, &inPlace});
        EXPECT_EQ(std::memcmp(inPlace.data<float>(), logs.data<float>(), y.size() * sizeof(float)), 0);
        setThreads(1);
      }
  }
}

} // namespace
