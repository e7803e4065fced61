//===- reference_unary.cpp - functions of one operand ---------------------===//
#include "tests/ops/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace mlir;

namespace partyline::ops_test {

/// A number among an op's attributes.
struct Attributes {
  Operation *op;
  double operator[](const char *name) const { return op->getAttrOfType<FloatAttr>(name).getValueAsDouble(); }
};

/// y = function(x, attributes), element by element.
template <auto function> static std::vector<Tensor> map(Operation *op, const Operands &operands, ReferenceRun &) {
  Tensor result(operands[0]->shape);
  for (int64_t i = 0; i < result.size(); ++i)
    result[i] = function((*operands[0])[i], Attributes{op});
  return {result};
}

static double softplus(double x) { return std::log1p(std::exp(x)); }

const std::map<std::string, ReferenceOp> &unaryReference() {
  using A = Attributes;
  static const std::map<std::string, ReferenceOp> table = {
      {"party.abs", map<[](double x, A) { return std::abs(x); }>},
      {"party.clip", map<[](double x, A a) { return std::min(std::max(x, a["minimum"]), a["maximum"]); }>},
      {"party.elu", map<[](double x, A a) { return x < 0 ? a["alpha"] * std::expm1(x) : x; }>},
      {"party.erf", map<[](double x, A) { return std::erf(x); }>},
      {"party.exp", map<[](double x, A) { return std::exp(x); }>},
      {"party.gelu", map<[](double x, A) { return x / 2 * (1 + std::erf(x / std::numbers::sqrt2)); }>},
      {"party.gelu_tanh", map<[](double x, A) {
         return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
       }>},
      {"party.hard_sigmoid",
       map<[](double x, A a) { return std::min(std::max(a["alpha"] * x + a["beta"], 0.0), 1.0); }>},
      {"party.hard_swish", map<[](double x, A) { return x * std::min(std::max(x / 6 + 0.5, 0.0), 1.0); }>},
      {"party.leaky_relu", map<[](double x, A a) { return x < 0 ? a["alpha"] * x : x; }>},
      {"party.log", map<[](double x, A) { return std::log(x); }>},
      {"party.mish", map<[](double x, A) { return x * std::tanh(softplus(x)); }>},
      {"party.power", map<[](double x, A a) { return std::pow(x, a["exponent"]); }>},
      {"party.reciprocal", map<[](double x, A) { return 1 / x; }>},
      {"party.relu", map<[](double x, A) { return std::max(x, 0.0); }>},
      {"party.scale", map<[](double x, A a) { return a["factor"] * x; }>},
      {"party.selu", map<[](double x, A a) { return a["gamma"] * (x < 0 ? a["alpha"] * std::expm1(x) : x); }>},
      {"party.sigmoid", map<[](double x, A) { return 1 / (1 + std::exp(-x)); }>},
      {"party.softplus", map<[](double x, A) { return softplus(x); }>},
      {"party.softsign", map<[](double x, A) { return x / (1 + std::abs(x)); }>},
      {"party.sqrt", map<[](double x, A) { return std::sqrt(x); }>},
      {"party.tanh", map<[](double x, A) { return std::tanh(x); }>},
      {"party.thresholded_relu", map<[](double x, A a) { return a["alpha"] < x ? x : 0; }>},
  };
  return table;
}

} // namespace partyline::ops_test
