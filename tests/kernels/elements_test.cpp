//===- elements_test.cpp - programs of elementwise functions --------------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

struct Program {
  std::string text, shapes;
  int sums = 0; ///< results per channel; 0: the result is a matrix

  KernelSpec spec(int channels) const {
    return {"elements", {{"channels", int64_t(channels)}, {"program", text}, {"shapes", shapes}}};
  }
};

constexpr int rows = 300, gap = 3;

/// One column of a matrix, or one element of a vector.
Tensor channelOf(const Tensor &tensor, int channel) {
  const bool isMatrix = tensor.shape().size() == 2;
  Tensor column(isMatrix ? std::vector<int>{rows, 1} : std::vector<int>{1});
  for (int row = 0; row < (isMatrix ? rows : 1); ++row)
    column[row] = isMatrix ? tensor.at({row, channel}) : tensor[channel];
  return column;
}

std::vector<Tensor> run(const KernelLibrary &library, size_t kernel, const Program &program, std::vector<Tensor> inputs,
                        int channels, int rowStride) {
  std::vector<Tensor> outputs;
  for (int i = 0; i < std::max(program.sums, 1); ++i) {
    if (program.sums)
      outputs.emplace_back(std::vector<int>{channels});
    else
      outputs.emplace_back(std::vector<int>{rows, channels}, ElementType::float32, std::vector<int>{rowStride, 1});
    outputs.back().fill(NAN);
  }
  std::vector<Tensor *> buffers;
  for (std::vector<Tensor> *list : {&inputs, &outputs})
    for (Tensor &tensor : *list)
      buffers.push_back(&tensor);
  library.run(kernel, {}, buffers);
  return outputs;
}

// Vectors run along the channels, and what is left at their end is special: for every number of channels, each has the
// bits of a kernel of it alone, and nothing is written between the rows.
TEST(Elements, EveryChannelIsComputedAsIfAlone) {
  const std::vector<Program> programs = {{"relu 0", "m"},
                                         {"batch_norm_inference 0 1 2 3 4 epsilon=1e-05; relu 5", "mvvvv"},
                                         {"batch_norm_inference 0 1 2 3 4 epsilon=1e-05; relu 8; relu_gradient 9 5; "
                                          "batch_norm_input_gradient 0 10 3 4 1 6 7 epsilon=1e-05",
                                          "mvvvvmvv"},
                                         {"batch_norm_inference 0 1 2 3 4 epsilon=1e-05; relu 6; relu_gradient 7 5; "
                                          "batch_norm_parameter_gradient 0 8 3 4 epsilon=1e-05",
                                          "mvvvvm", 2}};
  std::vector<int> counts;
  for (int channels = 1; channels <= 13; ++channels)
    counts.push_back(channels);
  counts.insert(counts.end(), {17, 25, 33});
  std::vector<KernelSpec> specs;
  for (const Program &program : programs)
    for (int channels : counts)
      specs.push_back(program.spec(channels));
  KernelLibrary library(specs);
  std::mt19937 generator(11);
  size_t kernel = 0;
  for (const Program &program : programs) {
    const size_t ofOne = kernel;
    for (int channels : counts) {
      SCOPED_TRACE(program.text + ", " + std::to_string(channels) + " channels");
      std::vector<Tensor> inputs;
      for (char shape : program.shapes)
        inputs.push_back(shape == 'm' ? Tensor::random({rows, channels}, generator)
                                      : Tensor::random({channels}, generator, 0.5, 1.5));
      const std::vector<Tensor> outputs = run(library, kernel++, program, inputs, channels, channels + gap);
      for (int channel = 0; channel < channels; ++channel) {
        std::vector<Tensor> columns;
        for (const Tensor &input : inputs)
          columns.push_back(channelOf(input, channel));
        const std::vector<Tensor> alone = run(library, ofOne, program, columns, 1, 1);
        for (size_t i = 0; i < outputs.size(); ++i) {
          const Tensor column = channelOf(outputs[i], channel);
          EXPECT_EQ(std::memcmp(column.data<float>(), alone[i].data<float>(), column.size() * sizeof(float)), 0)
              << "channel " << channel;
        }
      }
      for (int row = 0; !program.sums && row + 1 < rows; ++row)
        for (int i = channels; i < channels + gap; ++i)
          ASSERT_TRUE(std::isnan(outputs[0][size_t(row) * (channels + gap) + i])) << "written behind row " << row;
    }
  }
}

} // namespace
