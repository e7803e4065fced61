#include "models/families/squeezenet.h"

#include <string>

namespace partyline::models {

/// 1x1 convolutions to few channels, then 1x1 and 3x3 convolutions side by side.
static Value fire(GraphBuilder &graph, const Value &x, const std::string &name, int64_t squeezed, int64_t expanded) {
  auto conv = [&](const Value &x, const std::string &part, const ConvLayer &layer) {
    return graph.relu(graph.conv(x, name + "." + part, layer), name + "." + part + ".relu");
  };
  Value squeeze = conv(x, "squeeze", {.channels = squeezed});
  return graph.concat({conv(squeeze, "expand1x1", {.channels = expanded}),
                       conv(squeeze, "expand3x3", {.channels = expanded, .kernel = 3, .padding = 1})},
                      name);
}

Value squeezenet(GraphBuilder &graph, Value x, const NetworkOptions &options, const ConvLayer &first,
                 const std::set<int> &pooled) {
  auto pool = [&](int number) {
    x = graph.maxPool(x, "pool" + std::to_string(number), {.kernel = 3, .stride = 2, .ceilMode = true});
  };
  x = graph.relu(graph.conv(x, "conv1", first), "relu1");
  pool(1);
  for (int number = 2; number <= 9; ++number) {
    int64_t squeezed = number / 2 * 16;
    x = fire(graph, x, "fire" + std::to_string(number), squeezed, 4 * squeezed);
    if (pooled.contains(number))
      pool(number);
  }
  x = graph.dropout(x, "dropout", options.dropout);
  x = graph.conv(x, "conv10", {.channels = options.classes, .initialization = Initialization::smallNormal});
  return graph.flatten(graph.globalAveragePool(graph.relu(x, "relu10"), "pool10"), "flatten");
}

} // namespace partyline::models
