//===- codegen/kernels/elements.cpp - programs of elementwise functions ---===//
#include "codegen/kernels/elements.h"
#include "codegen/kernels/column_sums.h"
#include "codegen/kernels/tuples.h"
#include "runtime/shared/error.h"

#include <sstream>

using namespace Halide;

namespace partyline::kernels {

std::map<std::string, ElementFunction> &elementFunctions() {
  static std::map<std::string, ElementFunction> functions;
  return functions;
}

std::map<std::string, RowSumFunction> &rowSumFunctions() {
  static std::map<std::string, RowSumFunction> functions;
  return functions;
}

Expr ElementCall::attribute(const std::string &name) const {
  auto found = attributes.find(name);
  if (found == attributes.end())
    throw inputError("an elementwise function has no attribute '" + name + "'");
  return Expr(static_cast<float>(found->second));
}

namespace {

struct Instruction {
  std::string function;
  std::vector<int> operands;
  std::map<std::string, double> attributes;
};

std::vector<Instruction> parse(const std::string &program, int operands) {
  std::vector<Instruction> instructions;
  std::istringstream lines(program);
  for (std::string line; std::getline(lines, line, ';');) {
    std::istringstream words(line);
    Instruction instruction;
    words >> instruction.function;
    for (std::string word; words >> word;) {
      const size_t equals = word.find('=');
      if (equals != std::string::npos)
        instruction.attributes[word.substr(0, equals)] = std::stod(word.substr(equals + 1));
      else
        instruction.operands.push_back(std::stoi(word));
    }
    const int known = operands + static_cast<int>(instructions.size());
    for (int operand : instruction.operands)
      if (operand < 0 || operand >= known)
        throw inputError("program \"" + program + "\": there is no value " + std::to_string(operand) + " before " +
                         instruction.function);
    instructions.push_back(std::move(instruction));
  }
  if (instructions.empty())
    throw inputError("a program of elementwise functions is empty");
  return instructions;
}

/// A program's expressions at any row of column c.
class Program {
public:
  Program(const std::string &text, const std::string &shapes, int channels)
      : channels(channels), shapes(shapes), instructions(parse(text, static_cast<int>(shapes.size()))) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      ImageParam operand = inputBuffer(shapes[i] == 'm' && channels ? 2 : 1, "operand" + std::to_string(i));
      if (channels)
        operand.dim(0).set_bounds(0, channels);
      operands.push_back(operand);
    }
  }

  Expr value(int index, const Expr &row) {
    if (index < static_cast<int>(operands.size()))
      return shapes[index] == 'm' && channels ? operands[index](c, row) : operands[index](c);
    const Instruction &instruction = instructions[index - operands.size()];
    auto function = elementFunctions().find(instruction.function);
    if (function == elementFunctions().end())
      throw inputError("there is no elementwise function '" + instruction.function + "'");
    return function->second(callOf(index, row))[0];
  }

  /// Operands that differ from row to row are left null where there is no row.
  ElementCall callOf(int index, const Expr &row) {
    const Instruction &instruction = instructions[index - operands.size()];
    std::vector<Expr> values;
    for (int operand : instruction.operands)
      values.push_back(row.defined() || !channels || isVector(operand) ? value(operand, row) : Expr());
    return ElementCall(values, instruction.attributes, channels ? rows() : Expr(),
                       [this, index, made = 0](const Expr &value) mutable {
                         // The same value may be asked for in several rows.
                         auto [place, isNew] = perChannel.try_emplace({index, made++});
                         if (isNew) {
                           place->second = Func("per_channel");
                           place->second(c) = strict(value);
                         }
                         return Expr(place->second(c));
                       });
  }

  int last() const { return static_cast<int>(operands.size() + instructions.size()) - 1; }
  const std::string &lastFunction() const { return instructions.back().function; }
  Expr rows() const {
    const size_t matrix = shapes.find('m');
    return operands[matrix].dim(1).extent();
  }

  std::vector<Func> factors() const {
    std::vector<Func> result;
    for (const auto &[place, factor] : perChannel)
      result.push_back(factor);
    return result;
  }

  Var c{"c"};
  std::vector<ImageParam> operands;

private:
  bool isVector(int index) const { return index < static_cast<int>(shapes.size()) && shapes[index] == 'v'; }

  int channels;
  std::string shapes;
  std::vector<Instruction> instructions;
  std::map<std::pair<int, int>, Func> perChannel;
};

Kernel finish(const Program &program, Func result) {
  Kernel kernel{{}, {result}};
  kernel.arguments.assign(program.operands.begin(), program.operands.end());
  return kernel;
}

Kernel buildRowSums(Program &program, const RowSumFunction &function, int channels, int lanes) {
  // THE ALGORITHM
  ColumnSums sums("sums", program.c, program.rows(),
                  [&](Expr row) { return function.terms(program.callOf(program.last(), row)); });
  std::vector<Expr> results = function.results(program.callOf(program.last(), Expr()), sums.totalsOf(program.c));
  for (Expr &value : results)
    value = strict(value);
  Func result = pure("result", {program.c}, results);

  // THE SCHEDULE
  for (Func factor : program.factors())
    factor.compute_root().vectorize(program.c, lanes, guarded);
  sums.schedule(channels, lanes, scheduleColumns(result, program.c, channels, lanes));
  return finish(program, result);
}

} // namespace

Kernel buildElements(const std::string &text, const std::string &shapes, int channels, const Target &target) {
  Program program(text, shapes, channels);
  const int lanes = channels ? vectorLanes(target, channels) : vectorLanes(target);
  if (auto sum = rowSumFunctions().find(program.lastFunction()); sum != rowSumFunctions().end())
    return buildRowSums(program, sum->second, channels, lanes);

  // THE ALGORITHM
  Var m("m");
  Func result("result");
  if (channels)
    result(program.c, m) = strict(program.value(program.last(), m));
  else
    result(program.c) = strict(program.value(program.last(), Expr()));

  // THE SCHEDULE
  denseOutput(result);
  for (Func factor : program.factors())
    factor.compute_root().vectorize(program.c, lanes, guarded);
  if (channels) {
    result.output_buffers()[0].dim(0).set_bounds(0, channels);
    scheduleRows(result, {program.c, m}, channels, lanes);
  } else {
    scheduleElements(result, program.c, lanes);
  }
  return finish(program, result);
}

namespace elements_family {

Kernel build(const Parameters &parameters, const Target &target) {
  return buildElements(parameters.text("program"), parameters.text("shapes"), parameters.integer("channels"), target);
}

RegisterKernel registration("elements", {"channels", "program", "shapes"}, build);

} // namespace elements_family
} // namespace partyline::kernels
