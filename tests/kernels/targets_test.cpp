//===- targets_test.cpp - other CPUs: what kernels leave undefined --------===//
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

using namespace partyline;
using namespace partyline::kernels::test;

namespace {

/// One kernel of every family that is not a convolution or a matrix product.
std::vector<KernelSpec> oneOfEach() {
  std::vector<KernelSpec> specs;
  for (const char *family :
       {"relu", "sigmoid", "tanh", "exp", "log", "sqrt", "abs", "erf", "softplus", "mish", "gelu", "elu"})
    for (const char *suffix : {"", "_gradient"})
      specs.push_back({std::string(family) + suffix, {}});
  for (const char *family : {"dropout", "moving_average"})
    specs.push_back({family, {}});
  for (double exponent : {0.75, 1.7})
    specs.push_back({"power", {{"exponent", exponent}}});
  for (const char *family : {"add", "subtract", "multiply", "maximum", "greater"})
    specs.push_back({family, {{"rank", int64_t(2)}, {"a_inner", int64_t(1)}, {"b_inner", int64_t(0)}}});
  specs.push_back(
      {"where", {{"rank", int64_t(2)}, {"a_inner", int64_t(1)}, {"b_inner", int64_t(0)}, {"c_inner", int64_t(1)}}});
  specs.push_back({"copy", {{"rank", int64_t(4)}, {"x_inner", std::string("any")}}});
  for (const char *pattern : {"r", "krk", "rkr"})
    specs.push_back({"reduce_sum", {{"pattern", std::string(pattern)}}});
  std::map<std::string, KernelSpec::Parameter> pool = {
      {"channels", int64_t(17)}, {"in_height", int64_t(9)},  {"in_width", int64_t(9)},   {"out_height", int64_t(5)},
      {"out_width", int64_t(5)}, {"kernel_h", int64_t(3)},   {"kernel_w", int64_t(3)},   {"stride_h", int64_t(2)},
      {"stride_w", int64_t(2)},  {"dilation_h", int64_t(1)}, {"dilation_w", int64_t(1)}, {"pad_top", int64_t(1)},
      {"pad_left", int64_t(1)}};
  auto maxPool = pool, averagePool = pool;
  maxPool["index_bits"] = int64_t(8);
  for (const char *name : {"pad_bottom", "pad_right", "count_include_pad"})
    averagePool[name] = int64_t(1);
  for (const char *suffix : {"", "_gradient"}) {
    specs.push_back({std::string("max_pool") + suffix, maxPool});
    specs.push_back({std::string("average_pool") + suffix, averagePool});
  }
  specs.push_back({"batch_norm_statistics", {{"channels", int64_t(17)}}});
  for (auto [program, shapes] : {std::pair("batch_norm_inference 0 1 2 3 4 epsilon=1e-05; relu 5", "mvvvv"),
                                 std::pair("batch_norm_parameter_gradient 0 1 2 3 epsilon=1e-05", "mmvv"),
                                 std::pair("batch_norm_input_gradient 0 1 2 3 4 5 6 epsilon=1e-05", "mmvvvvv")})
    specs.push_back(
        {"elements", {{"channels", int64_t(17)}, {"program", std::string(program)}, {"shapes", std::string(shapes)}}});
  for (const char *family : {"softmax", "softmax_gradient", "log_softmax", "log_softmax_gradient"})
    specs.push_back({family, {{"channels", int64_t(10)}}});
  for (const char *family : {"cross_entropy", "cross_entropy_gradient"})
    specs.push_back(
        {family, {{"channels", int64_t(10)}, {"smoothing", 0.1}, {"weighted", int64_t(1)}, {"ignores", int64_t(1)}}});
  for (const char *family : {"negative_log_likelihood", "negative_log_likelihood_gradient"})
    specs.push_back({family, {{"channels", int64_t(10)}, {"weighted", int64_t(1)}, {"ignores", int64_t(1)}}});
  for (const char *family : {"mean_squared_error", "binary_cross_entropy"}) {
    specs.push_back({family, {{"elements", int64_t(10)}}});
    specs.push_back({std::string(family) + "_gradient", {}});
  }
  for (int momentum : {0, 1})
    specs.push_back({"sgd", {{"momentum", int64_t(momentum)}}});
  specs.push_back({"adamw", {{"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}}});
  return specs;
}

TEST(Targets, UndefinedSymbolsArePublished) {
  // The oldest x86, where floor and its kin have no instruction, and the two that phones are.
  for (const char *target : {"x86-64-linux", "arm-64-linux", "arm-64-android"})
    EXPECT_EQ(foreignSymbols(oneOfEach(), target), std::vector<std::string>{}) << target;
}

} // namespace
