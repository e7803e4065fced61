#include "models/families/mobilenet_v2.h"

#include <algorithm>
#include <string>

namespace partyline::models {

static Value conv(GraphBuilder &graph, const Value &x, const std::string &name, const ConvLayer &layer) {
  return graph.relu6(graph.convNorm(x, name + ".conv", name + ".bn", layer), name + ".relu");
}

static Value invertedResidual(GraphBuilder &graph, const Value &x, const std::string &name, int64_t expansion,
                              int64_t channels, int64_t stride) {
  int64_t inside = expansion * x.shape[0];
  Value y = conv(graph, x, name + ".expansion", {.channels = inside});
  y = conv(graph, y, name + ".depthwise",
           {.channels = inside, .kernel = 3, .stride = stride, .padding = 1, .groups = inside});
  y = graph.convNorm(y, name + ".projection.conv", name + ".projection.bn", {.channels = channels});
  return stride == 1 && x.shape[0] == channels ? graph.add(y, x, name) : y;
}

Value mobilenetV2(GraphBuilder &graph, Value x, const NetworkOptions &options, const std::array<int64_t, 8> &strides) {
  constexpr struct {
    int64_t expansion, channels;
    int blocks;
  } stages[7] = {{1, 16, 1}, {6, 24, 2}, {6, 32, 3}, {6, 64, 4}, {6, 96, 3}, {6, 160, 3}, {6, 320, 1}};

  auto width = [&](int64_t channels) { return widened(channels, options.widthMultiplier); };
  x = conv(graph, x, "stem", {.channels = width(32), .kernel = 3, .stride = strides[0], .padding = 1});
  for (int stage = 1; stage <= 7; ++stage) {
    const auto &[expansion, channels, blocks] = stages[stage - 1];
    for (int block = 1; block <= blocks; ++block)
      x = invertedResidual(graph, x, "stage" + std::to_string(stage) + ".block" + std::to_string(block), expansion,
                           width(channels), block == 1 ? strides[stage] : 1);
  }
  x = conv(graph, x, "last", {.channels = std::max<int64_t>(1280, width(1280))});
  x = graph.flatten(graph.globalAveragePool(x, "pool"), "flatten");
  return graph.linear(graph.dropout(x, "dropout", options.dropout), "fc", {.features = options.classes});
}

} // namespace partyline::models
