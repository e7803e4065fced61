#include "models/families/resnet.h"

#include <string>

namespace partyline::models {

static Value bottleneck(GraphBuilder &graph, const Value &x, const std::string &name, int64_t channels,
                        int64_t stride) {
  auto conv = [&](const Value &x, const std::string &number, const ConvLayer &layer) {
    return graph.convNorm(x, name + ".conv" + number, name + ".bn" + number, layer);
  };
  Value y = graph.relu(conv(x, "1", {.channels = channels, .stride = stride}), name + ".relu1");
  y = graph.relu(conv(y, "2", {.channels = channels, .kernel = 3, .padding = 1}), name + ".relu2");
  y = conv(y, "3", {.channels = 4 * channels});
  Value shortcut = x;
  if (stride != 1 || x.shape[0] != 4 * channels)
    shortcut =
        graph.convNorm(x, name + ".shortcut.conv", name + ".shortcut.bn", {.channels = 4 * channels, .stride = stride});
  return graph.relu(graph.add(y, shortcut, name), name + ".relu3");
}

Value deepResnet(GraphBuilder &graph, Value x, const NetworkOptions &options, const std::array<int, 4> &blocks,
                 bool stemBias) {
  x = graph.conv(x, "conv1", {.channels = 64, .kernel = 7, .stride = 2, .padding = 3, .bias = stemBias});
  x = graph.relu(graph.batchNorm(x, "bn1"), "relu1");
  x = graph.maxPool(x, "pool1", {.kernel = 3, .stride = 2, .ceilMode = true});
  for (int stage = 0; stage < 4; ++stage)
    for (int block = 0; block < blocks[stage]; ++block)
      x = bottleneck(graph, x, "stage" + std::to_string(stage + 1) + ".block" + std::to_string(block + 1), 64 << stage,
                     stage > 0 && block == 0 ? 2 : 1);
  x = graph.flatten(graph.globalAveragePool(x, "pool2"), "flatten");
  return graph.linear(x, "fc", {.features = options.classes});
}

} // namespace partyline::models
