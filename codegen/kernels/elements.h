//===- codegen/kernels/elements.h - programs of elementwise functions -----===//
//
// An elementwise op is a function of the elements at one place. Families register such functions by their op's name;
// a program puts several together, so that what one makes for the next never goes to memory. The text of a program has
// an instruction per op, apart from each other by "; ":
//
//   batch_norm_inference 0 1 2 3 4 epsilon=1e-05; clip 5 maximum=6 minimum=0
//
// Operands are numbers: those of the kernel from 0 on, then the results of the instructions. `shapes` has a letter for
// every operand of the kernel: m for a matrix [rows, channels], v for a vector [channels]. The last instruction's
// result is the kernel's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/kernels/kernel.h"

#include <map>
#include <string>
#include <vector>

namespace partyline::kernels {

/// What an elementwise function works on.
class ElementCall {
public:
  using PerChannel = std::function<Halide::Expr(const Halide::Expr &)>;

  ElementCall(std::vector<Halide::Expr> operands, const std::map<std::string, double> &attributes, Halide::Expr rows,
              PerChannel perChannel)
      : operands(std::move(operands)), attributes(attributes), rowCount(std::move(rows)),
        makePerChannel(std::move(perChannel)) {}

  const Halide::Expr &operator[](size_t i) const { return operands.at(i); }

  /// As a float; an Error where there is no such attribute.
  Halide::Expr attribute(const std::string &name) const;

  /// As a float.
  Halide::Expr rows() const { return Halide::cast<float>(rowCount); }

  /// A value that is the same in all rows: made once per channel, before the rows.
  Halide::Expr perChannel(const Halide::Expr &value) const { return makePerChannel(value); }

private:
  std::vector<Halide::Expr> operands;
  const std::map<std::string, double> &attributes;
  Halide::Expr rowCount;
  PerChannel makePerChannel;
};

/// The value at a place; of a function that sums over rows, the terms at a place.
using ElementFunction = std::function<std::vector<Halide::Expr>(const ElementCall &)>;

/// Functions by the names of their ops.
std::map<std::string, ElementFunction> &elementFunctions();

struct RegisterElement {
  RegisterElement(const std::string &name, std::function<Halide::Expr(const ElementCall &)> function) {
    elementFunctions()[name] = [function](const ElementCall &call) {
      return std::vector<Halide::Expr>{function(call)};
    };
  }
};

/// An op at the end of a program whose results are made of sums over all rows, one per channel.
struct RowSumFunction {
  ElementFunction terms;
  /// The results from the totals of a channel; operand i of the call is null where it is a matrix.
  std::function<std::vector<Halide::Expr>(const ElementCall &, const std::vector<Halide::Expr> &totals)> results;
};

std::map<std::string, RowSumFunction> &rowSumFunctions();

struct RegisterRowSum {
  RegisterRowSum(const std::string &name, RowSumFunction function) { rowSumFunctions()[name] = std::move(function); }
};

/// The kernel of a program. channels = 0: all operands are matrices, and rows and channels one dimension.
Kernel buildElements(const std::string &program, const std::string &shapes, int channels, const Halide::Target &target);

} // namespace partyline::kernels
