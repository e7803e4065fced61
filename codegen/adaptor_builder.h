//===- codegen/adaptor_builder.h - from a StepCall to a kernel call -------===//
#pragma once

#include "codegen/step_program.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace partyline::codegen {

/// The structs of runtime/shared/step_abi.h and of Halide's buffers, as types of the LLVM dialect.
struct StepTypes {
  explicit StepTypes(mlir::MLIRContext &context);

  mlir::Type i8, i16, i32, i64, f32, f64, pointer;
  mlir::Type stepCall, stepOp, stepUpdate, stepLibrary; ///< of step_abi.h
  mlir::Type halideType, halideDimension, halideBuffer; ///< of HalideRuntime.h
};

/// Emits adaptors: functions `int32_t (const StepCall *)` that set up the buffers of one operation on the stack and
/// call its kernel. Operations that differ in nothing but their name share one.
class AdaptorBuilder {
public:
  AdaptorBuilder(mlir::ModuleOp module, mlir::OpBuilder &builder, const StepTypes &types)
      : module(module), builder(builder), types(types) {}

  /// The symbol of the operation's adaptor, emitted at the builder's insertion point if it is new.
  std::string adaptorFor(const StepOperation &operation);

private:
  void emit(const StepOperation &operation, const std::string &symbol);
  mlir::Value emitScalar(const KernelScalar &scalar);
  mlir::Value emitBuffer(const KernelBuffer &buffer);
  mlir::Value emitHost(const KernelBuffer &buffer);
  mlir::Value emitUnbiasedWeight(int64_t valuesPerSample);
  mlir::Value emitExtent(const BufferDimension &dimension);
  mlir::LLVM::LLVMFuncOp declareKernel(const std::string &symbol, mlir::LLVM::LLVMFunctionType type);

  mlir::Value loadCallField(int32_t field);
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value stackSlot(mlir::Type type, int64_t count);
  /// The address of a field of `base`, which points to a `type`.
  mlir::Value fieldAddress(mlir::Type type, mlir::Value base, llvm::ArrayRef<mlir::LLVM::GEPArg> path);
  void storeField(mlir::Type type, mlir::Value base, llvm::ArrayRef<mlir::LLVM::GEPArg> path, mlir::Value value);

  mlir::ModuleOp module;
  mlir::OpBuilder &builder;
  const StepTypes &types;
  std::map<std::string, std::string> adaptors; ///< what an operation does -> symbol
  std::map<std::string, mlir::LLVM::LLVMFuncOp> kernels;

  // Of the adaptor being emitted.
  mlir::Location location{mlir::UnknownLoc::get(module.getContext())};
  mlir::Value call;
  std::map<int32_t, mlir::Value> callFields; ///< already loaded
};

} // namespace partyline::codegen
