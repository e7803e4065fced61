//===- model_builder.h - models for tests, as the importer writes them ----===//
#pragma once

#include "tests/ops/tensor.h"

#include "passes/pipeline.h"

#include "mlir/IR/IRMapping.h"

#include <map>
#include <string>

namespace partyline::ops_test {

/// A module with @model, as behind the import, and the values of its weights in ONNX order.
struct Model {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::map<std::string, Tensor> weights; ///< parameters, states and constants; every value is a float
  TrainingOptions training = {};         ///< what it is compiled with

  mlir::func::FuncOp function() const { return phaseFunction(module.get(), kModelFunction); }
};

/// The context of all modules, with the dialects loaded.
mlir::MLIRContext &context();

/// Builds @model op by op. Weights are drawn from a fixed seed, so the same calls make the same model.
class ModelBuilder {
public:
  explicit ModelBuilder(const Shape &sampleShape);

  mlir::Value input() const { return body->getArgument(0); }
  mlir::Value sampleIds() const { return body->getArgument(1); }

  /// A new op at the end; its first result.
  template <typename Op, typename... Arguments> mlir::Value add(Arguments &&...arguments) {
    return builder.create<Op>(nextLocation(Op::getOperationName()), std::forward<Arguments>(arguments)...)
        ->getResult(0);
  }

  /// A weight tensor of values in [low, high).
  mlir::Value weight(const Shape &shape, double low = -1, double high = 1, llvm::StringRef kind = kParameterKind);
  mlir::Value weight(const Shape &shape, const std::vector<float> &values, llvm::StringRef kind = kParameterKind);

  /// x * s with a parameter s of the shape of a sample: the gradient of s is that of x, weighted by the sample's input.
  mlir::Value scaled(mlir::Value x);

  /// [batch, everything else].
  mlir::Value flattened(mlir::Value x);
  mlir::Value reshaped(mlir::Value x, const Shape &sampleShape);

  /// The elements of [batch, elements] from `start` on, of that shape.
  mlir::Value part(mlir::Value x, int64_t start, const Shape &sampleShape);

  /// A copy of `op` at the end, with its operands mapped; its first result.
  mlir::Value clone(mlir::Operation &op, mlir::IRMapping &mapping);

  /// The labels of a loss of its own, of this shape for each sample.
  mlir::Value labels(const Shape &sampleShape);

  /// The model that returns `output`, or where that is the losses these and what they are of.
  Model finish(mlir::Value output);

private:
  mlir::Location nextLocation(llvm::StringRef operation);

  Model model;
  mlir::OpBuilder builder;
  mlir::Block *body;
  int64_t ops = 0;
};

/// The extents of a value behind the batch.
Shape sampleShapeOf(mlir::Value value);

} // namespace partyline::ops_test
