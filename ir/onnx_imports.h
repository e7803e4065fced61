//===- ir/onnx_imports.h - how ONNX nodes become party ops ----------------===//
//
// Every op file that can be imported has a function for it, named in an OnnxImport record of its .td. The function sees
// the node through OnnxNodeImporter, so that no op knows protobuf; the frontend implements it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>
#include <vector>

namespace partyline {

/// One ONNX node while it is imported. Inputs are asked for by what they are to the operator, which decides whether an
/// initializer is a parameter (design: a float initializer in a parameter slot, or a non-scalar operand of Add or Mul
/// downstream of one), state, or a constant.
class OnnxNodeImporter {
public:
  virtual ~OnnxNodeImporter() = default;

  mlir::OpBuilder &builder;
  const mlir::Location location; ///< the node's name

  virtual const std::string &operatorName() const = 0;
  virtual int opset() const = 0;
  virtual unsigned numInputs() const = 0;
  virtual unsigned numOutputs() const = 0;         ///< with those that are left out
  virtual bool hasInput(unsigned index) const = 0; ///< present and not the empty name

  virtual mlir::Value data(unsigned index) = 0;      ///< an activation; an initializer here is a constant
  virtual mlir::Value parameter(unsigned index) = 0; ///< a parameter slot: an initializer is trained
  virtual mlir::Value operand(unsigned index) = 0; ///< of Add, Mul...: a non-scalar initializer beside a trained value
                                                   ///< is trained, any other is a constant
  virtual mlir::Value state(unsigned index) = 0;   ///< running statistics
  virtual mlir::Value condition(unsigned index) = 0; ///< a boolean: 1 or 0 as floats, computed or constant
  /// The class labels, int32 of this shape: the graph input `index`, which becomes the function's third argument.
  virtual mlir::Value labels(unsigned index, llvm::ArrayRef<int64_t> shape) = 0;
  virtual mlir::Value sampleIds() = 0; ///< tensor<?xi32>, the function's second argument

  virtual std::optional<std::vector<int64_t>> constantInts(unsigned index) = 0; ///< -1 in place of the batch is kept
  virtual std::optional<std::vector<double>> constantFloats(unsigned index) = 0;
  virtual std::optional<std::vector<int64_t>> constantShape(unsigned index) = 0; ///< of a constant
  /// A target shape: constant but for the batch size, which reads as ShapedType::kDynamic.
  virtual std::optional<std::vector<int64_t>> shape(unsigned index) = 0;

  virtual std::optional<int64_t> intAttribute(const std::string &name) const = 0;
  virtual std::optional<double> floatAttribute(const std::string &name) const = 0;
  virtual std::optional<std::string> stringAttribute(const std::string &name) const = 0;
  virtual std::optional<std::vector<int64_t>> intsAttribute(const std::string &name) const = 0;

  virtual std::optional<std::vector<double>> floatsAttribute(const std::string &name) const = 0;

  /// A new constant that belongs to the node, called after it and `name`.
  virtual mlir::Value constant(const std::string &name, llvm::ArrayRef<int64_t> shape,
                               const std::vector<float> &values) = 0;

  virtual void setOutput(unsigned index, mlir::Value value) = 0;

  /// A sequence of tensors.
  virtual void setSequence(unsigned index, llvm::ArrayRef<mlir::Value> values) = 0;
  virtual llvm::ArrayRef<mlir::Value> sequence(unsigned index) = 0;

  /// ONNX's [batch * n, ...] is [batch, n, ...] here, and known to these alone: data() does not give it.
  virtual void setMergedOutput(unsigned index, mlir::Value value) = 0;
  virtual bool batchIsMerged(unsigned index) = 0;
  virtual mlir::Value mergedData(unsigned index) = 0;

  /// Output 0 is the training loss, of the scores that are input 0; nothing may come behind it.
  virtual void setLoss(mlir::Value losses) = 0;
  virtual int64_t nextDropoutLayer() = 0;

  /// The node cannot be trained as it is: throws, and is reported together with all other such nodes.
  [[noreturn]] virtual void unsupported(const std::string &why) const = 0;

  int64_t intOr(const std::string &name, int64_t value) const { return intAttribute(name).value_or(value); }
  double floatOr(const std::string &name, double value) const { return floatAttribute(name).value_or(value); }
  mlir::RankedTensorType typeOf(mlir::Value value) const { return mlir::cast<mlir::RankedTensorType>(value.getType()); }

protected:
  OnnxNodeImporter(mlir::OpBuilder &builder, mlir::Location location) : builder(builder), location(location) {}
};

/// A row of the importer's table, generated from the dialect's definitions.
struct OnnxImport {
  std::string op;
  std::vector<int> sinceVersions; ///< ascending
  void (*import)(OnnxNodeImporter &);
  std::string limits;
  std::string noGradient; ///< why there is none; empty: there is one
};

/// All operators that can be trained, sorted by name.
const std::vector<OnnxImport> &onnxImports();

/// The row of an operator, or null.
const OnnxImport *findOnnxImport(const std::string &op);

} // namespace partyline
