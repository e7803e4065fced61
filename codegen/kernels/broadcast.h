//===- codegen/kernels/broadcast.h - operands with broadcasting -----------===//
//
// y[dims] = f(a[dims], b[dims]), or of three operands. Every stride of an operand is known at run time only (0
// broadcasts), but for the innermost one: 1 or 0, by the parameters a_inner, b_inner..., so that its loads are plain
// vectors or one scalar.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/elements.h"
#include "codegen/kernels/elementwise.h"

#include <array>
#include <tuple>

namespace partyline::kernels {

/// Registers the family `name`, f = function(a, b) or function(a, b, c).
template <int operands = 2> struct RegisterBroadcast {
  template <typename Function> RegisterBroadcast(const std::string &name, Function function) {
    std::array<std::string, operands> names;
    std::vector<std::string> parameters = {"rank"};
    for (int i = 0; i < operands; ++i) {
      names[i] = std::string(1, char('a' + i));
      parameters.push_back(names[i] + "_inner");
    }
    RegisterKernel(name, parameters, [=](const Parameters &given, const Halide::Target &target) {
      // THE ALGORITHM
      const int rank = given.integer("rank");
      std::vector<Halide::Var> dimensions;
      for (int i = 0; i < rank; ++i)
        dimensions.emplace_back("d" + std::to_string(i));
      Kernel kernel;
      std::array<Halide::Expr, operands> elements;
      for (int i = 0; i < operands; ++i) {
        Halide::ImageParam operand = inputBuffer(rank, names[i]);
        operand.dim(0).set_stride(given.integer(names[i] + "_inner"));
        elements[i] = operand(std::vector<Halide::Expr>(dimensions.begin(), dimensions.end()));
        kernel.arguments.push_back(operand);
      }
      Halide::Func result("result");
      result(dimensions) = strict(std::apply(function, elements));
      denseOutput(result);

      // THE SCHEDULE
      scheduleRows(result, dimensions, result.output_buffer().dim(0).extent(), vectorLanes(target));
      kernel.outputs = {result};
      return kernel;
    });
    RegisterElement(name, [function](const ElementCall &call) {
      std::array<Halide::Expr, operands> elements;
      for (int i = 0; i < operands; ++i)
        elements[i] = call[i];
      return Halide::Expr(std::apply(function, elements));
    });
  }
};

} // namespace partyline::kernels
