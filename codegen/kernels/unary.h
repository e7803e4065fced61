//===- codegen/kernels/unary.h - a function and its derivative, element by element ---===//
//
// The kernels of the definitions' Party_Unary: NAME computes y[E] = value(x), NAME_gradient dx[E] = gradient(x or y,
// dy). Both take the op's attributes, all of them numbers, behind these; as arguments of the kernels they come first.
//
// NaN stays NaN: a diverging run must show. So these are written with select rather than min and max, and without <=
// and
// >=: Halide makes a <= b into !(b < a), which holds for NaN.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/elements.h"
#include "codegen/kernels/elementwise.h"

#include <array>
#include <tuple>

namespace partyline::kernels {

struct RegisterUnary {
  /// attributes: their names, sorted.
  template <typename Value, typename Gradient, typename... Names>
  RegisterUnary(const std::string &name, Value value, Gradient gradient, Names... attributes) {
    auto family = [=](std::vector<std::string> operands, auto function) {
      return [=](const Parameters &, const Halide::Target &target) {
        std::array<Halide::Param<float>, sizeof...(Names)> scalars = {Halide::Param<float>(attributes)...};
        return elementwiseKernel(operands, target,
                                 [&](const std::vector<Halide::Expr> &in) {
                                   return std::apply([&](auto &...scalar) { return function(in, scalar...); }, scalars);
                                 },
                                 {scalars.begin(), scalars.end()});
      };
    };
    RegisterKernel(name, {}, family({"x"}, [=](const std::vector<Halide::Expr> &in, auto &...scalars) {
                     return value(in[0], scalars...);
                   }));
    RegisterKernel(name + "_gradient", {},
                   family({"from", "dy"}, [=](const std::vector<Halide::Expr> &in, auto &...scalars) {
                     return gradient(in[0], in[1], scalars...);
                   }));
    RegisterElement(name, [=](const ElementCall &call) { return value(call[0], call.attribute(attributes)...); });
    RegisterElement(name + "_gradient",
                    [=](const ElementCall &call) { return gradient(call[0], call[1], call.attribute(attributes)...); });
  }
};

} // namespace partyline::kernels
