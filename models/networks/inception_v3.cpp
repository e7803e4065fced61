//===- models/networks/inception_v3.cpp - Inception-v3 --------------------===//
//
// Szegedy, Vanhoucke, Ioffe, Shlens and Wojna 2016, "Rethinking the Inception Architecture for Computer Vision",
// without the auxiliary classifier, in the form of the authors' later code (TensorFlow's slim): it differs from the
// paper's table 1 in the stem and in the number of modules. Every convolution has BatchNorm and ReLU.
//
//===----------------------------------------------------------------------===//
#include "models/graph_builder.h"
#include "models/zoo.h"

#include <string>

namespace partyline::models {

namespace {

/// The modules, named by the letters of the papers' figures: A has a 5x5 branch; B and D halve the image; C has 7x7
/// convolutions factorised into 1x7 and 7x1; E ends in 1x3 and 3x1 side by side.
class InceptionV3 {
public:
  InceptionV3(GraphBuilder &graph) : graph(graph) {}

  Value conv(const Value &x, const std::string &name, const ConvLayer &layer) {
    return graph.relu(graph.convNorm(x, name + ".conv", name + ".bn", layer), name + ".relu");
  }

  Value moduleA(const Value &x, const std::string &name, int64_t projection) {
    Value one = conv(x, name + ".one", {.channels = 64});
    Value five = conv(x, name + ".five1", {.channels = 48});
    five = conv(five, name + ".five2", {.channels = 64, .kernel = 5, .padding = 2});
    Value three = conv(x, name + ".three1", {.channels = 64});
    three = conv(three, name + ".three2", {.channels = 96, .kernel = 3, .padding = 1});
    three = conv(three, name + ".three3", {.channels = 96, .kernel = 3, .padding = 1});
    return graph.concat({one, five, three, pooled(x, name, projection)}, name);
  }

  Value moduleB(const Value &x, const std::string &name) {
    Value three = conv(x, name + ".three", {.channels = 384, .kernel = 3, .stride = 2});
    Value twice = conv(x, name + ".twice1", {.channels = 64});
    twice = conv(twice, name + ".twice2", {.channels = 96, .kernel = 3, .padding = 1});
    twice = conv(twice, name + ".twice3", {.channels = 96, .kernel = 3, .stride = 2});
    return graph.concat({three, twice, halve(x, name + ".pool")}, name);
  }

  Value moduleC(const Value &x, const std::string &name, int64_t channels) {
    Value one = conv(x, name + ".one", {.channels = 192});
    Value seven = conv(x, name + ".seven1", {.channels = channels});
    seven = row(seven, name + ".seven2", channels);
    seven = column(seven, name + ".seven3", 192);
    Value twice = conv(x, name + ".twice1", {.channels = channels});
    twice = column(twice, name + ".twice2", channels);
    twice = row(twice, name + ".twice3", channels);
    twice = column(twice, name + ".twice4", channels);
    twice = row(twice, name + ".twice5", 192);
    return graph.concat({one, seven, twice, pooled(x, name, 192)}, name);
  }

  Value moduleD(const Value &x, const std::string &name) {
    Value three = conv(x, name + ".three1", {.channels = 192});
    three = conv(three, name + ".three2", {.channels = 320, .kernel = 3, .stride = 2});
    Value seven = conv(x, name + ".seven1", {.channels = 192});
    seven = column(row(seven, name + ".seven2", 192), name + ".seven3", 192);
    seven = conv(seven, name + ".seven4", {.channels = 192, .kernel = 3, .stride = 2});
    return graph.concat({three, seven, halve(x, name + ".pool")}, name);
  }

  Value moduleE(const Value &x, const std::string &name) {
    auto split = [&](const Value &x, const std::string &branch) {
      return graph.concat({conv(x, branch + ".row", {.channels = 384, .kernel = {1, 3}, .padding = {0, 1}}),
                           conv(x, branch + ".column", {.channels = 384, .kernel = {3, 1}, .padding = {1, 0}})},
                          branch);
    };
    Value one = conv(x, name + ".one", {.channels = 320});
    Value three = split(conv(x, name + ".three1", {.channels = 384}), name + ".three2");
    Value twice = conv(x, name + ".twice1", {.channels = 448});
    twice = split(conv(twice, name + ".twice2", {.channels = 384, .kernel = 3, .padding = 1}), name + ".twice3");
    return graph.concat({one, three, twice, pooled(x, name, 192)}, name);
  }

  Value halve(const Value &x, const std::string &name) { return graph.maxPool(x, name, {.kernel = 3, .stride = 2}); }

private:
  Value row(const Value &x, const std::string &name, int64_t channels) {
    return conv(x, name, {.channels = channels, .kernel = {1, 7}, .padding = {0, 3}});
  }

  Value column(const Value &x, const std::string &name, int64_t channels) {
    return conv(x, name, {.channels = channels, .kernel = {7, 1}, .padding = {3, 0}});
  }

  Value pooled(const Value &x, const std::string &name, int64_t channels) {
    return conv(graph.averagePool(x, name + ".pool", {.kernel = 3, .stride = 1, .padding = 1}), name + ".projection",
                {.channels = channels});
  }

  GraphBuilder &graph;
};

Value buildInceptionV3(GraphBuilder &graph, Value x, const NetworkOptions &options) {
  InceptionV3 inception(graph);
  x = inception.conv(x, "stem1", {.channels = 32, .kernel = 3, .stride = 2});
  x = inception.conv(x, "stem2", {.channels = 32, .kernel = 3});
  x = inception.conv(x, "stem3", {.channels = 64, .kernel = 3, .padding = 1});
  x = inception.halve(x, "pool1");
  x = inception.conv(x, "stem4", {.channels = 80});
  x = inception.conv(x, "stem5", {.channels = 192, .kernel = 3});
  x = inception.halve(x, "pool2");
  x = inception.moduleA(x, "mixed5b", 32);
  x = inception.moduleA(x, "mixed5c", 64);
  x = inception.moduleA(x, "mixed5d", 64);
  x = inception.moduleB(x, "mixed6a");
  x = inception.moduleC(x, "mixed6b", 128);
  x = inception.moduleC(x, "mixed6c", 160);
  x = inception.moduleC(x, "mixed6d", 160);
  x = inception.moduleC(x, "mixed6e", 192);
  x = inception.moduleD(x, "mixed7a");
  x = inception.moduleE(x, "mixed7b");
  x = inception.moduleE(x, "mixed7c");
  x = graph.flatten(graph.globalAveragePool(x, "pool3"), "flatten");
  return graph.linear(graph.dropout(x, "dropout", options.dropout), "fc", {.features = options.classes});
}

} // namespace

Network inception_v3() {
  return {"inception_v3",
          "Inception-v3 with BatchNorm and Dropout, without auxiliary heads, for ImageNet",
          {.height = 299, .width = 299, .classes = 1000, .dropout = 0.2},
          buildInceptionV3};
}

} // namespace partyline::models
