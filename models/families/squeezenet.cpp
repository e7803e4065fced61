#include "models/families/squeezenet.h"

#include <string>

namespace partyline::models {

Value squeezenet(GraphBuilder &graph, Value x, const NetworkOptions &options, const SqueezenetForm &form) {
  auto conv = [&](const Value &x, const std::string &name, const std::string &relu, const ConvLayer &layer) {
    Value y = form.batchNorm ? graph.convNorm(x, name + ".conv", name + ".bn", layer) : graph.conv(x, name, layer);
    return graph.relu(y, relu);
  };
  // 1x1 convolutions to few channels, then 1x1 and 3x3 convolutions side by side.
  auto fire = [&](const Value &x, const std::string &name, int64_t squeezed, int64_t expanded) {
    auto part = [&](const Value &x, const std::string &part, const ConvLayer &layer) {
      return conv(x, name + "." + part, name + "." + part + ".relu", layer);
    };
    Value squeeze = part(x, "squeeze", {.channels = squeezed});
    return graph.concat({part(squeeze, "expand1x1", {.channels = expanded}),
                         part(squeeze, "expand3x3", {.channels = expanded, .kernel = 3, .padding = 1})},
                        name);
  };
  auto pool = [&](int layer) {
    if (form.pooled.contains(layer))
      x = graph.maxPool(x, "pool" + std::to_string(layer), {.kernel = 3, .stride = 2, .ceilMode = true});
  };

  x = conv(x, "conv1", "relu1", form.first);
  pool(1);
  for (int number = 2; number <= 9; ++number) {
    int64_t squeezed = number / 2 * 16;
    x = fire(x, "fire" + std::to_string(number), widened(squeezed, options.widthMultiplier),
             widened(4 * squeezed, options.widthMultiplier));
    pool(number);
  }
  x = graph.dropout(x, "dropout", options.dropout);
  x = graph.conv(x, "conv10", {.channels = options.classes, .initialization = Initialization::smallNormal});
  return graph.flatten(graph.globalAveragePool(graph.relu(x, "relu10"), "pool10"), "flatten");
}

} // namespace partyline::models
