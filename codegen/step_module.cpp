//===- codegen/step_module.cpp - a step program in MLIR's LLVM dialect ----===//

#include "codegen/step_module.h"

#include "codegen/adaptor_builder.h"
#include "codegen/kernel_library.h"
#include "runtime/shared/step_abi.h"

#include <map>

namespace partyline::codegen {
namespace {

using namespace mlir;

class ModuleBuilder {
public:
  ModuleBuilder(MLIRContext &context, const StepProgram &program)
      : program(program), module(ModuleOp::create(UnknownLoc::get(&context), "partyline_step")),
        builder(module->getBodyRegion()), types(context), adaptors(*module, builder, types) {}

  OwningOpRef<ModuleOp> build(const std::string &planHash);

private:
  using Fields = std::vector<Value>;

  /// Makes a constant whose initializer is what `makeValue` returns, built inside the constant's own region.
  LLVM::GlobalOp makeConstant(Type type, LLVM::Linkage linkage, const std::string &name,
                              llvm::function_ref<Value()> makeValue) {
    auto global = builder.create<LLVM::GlobalOp>(location(), type, /*isConstant=*/true, linkage, name, Attribute());
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&global.getInitializerRegion());
    builder.create<LLVM::ReturnOp>(location(), makeValue());
    return global;
  }

  Value aggregate(Type type, const Fields &fields) {
    Value value = builder.create<LLVM::UndefOp>(location(), type);
    for (size_t i = 0; i < fields.size(); ++i)
      value = builder.create<LLVM::InsertValueOp>(location(), value, fields[i], static_cast<int64_t>(i));
    return value;
  }

  Value integer(Type type, int64_t value) {
    return builder.create<LLVM::ConstantOp>(location(), type, builder.getIntegerAttr(type, value));
  }

  Value real(double value) {
    return builder.create<LLVM::ConstantOp>(location(), types.f64, builder.getF64FloatAttr(value));
  }

  Value addressOf(const std::string &symbol) {
    return symbol.empty() ? builder.create<LLVM::ZeroOp>(location(), types.pointer).getResult()
                          : builder.create<LLVM::AddressOfOp>(location(), types.pointer, symbol).getResult();
  }

  /// The symbol of a zero-terminated string; equal strings are one.
  std::string stringSymbol(const std::string &text) {
    auto [entry, isNew] = strings.try_emplace(text, "string_" + std::to_string(strings.size()));
    if (isNew) {
      std::string bytes = text + '\0';
      auto type = LLVM::LLVMArrayType::get(types.i8, bytes.size());
      auto global = builder.create<LLVM::GlobalOp>(location(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                                   entry->second, builder.getStringAttr(bytes));
      global.setUnnamedAddr(LLVM::UnnamedAddr::Global);
    }
    return entry->second;
  }

  /// The symbols that a StepOp refers to. They are made before the table whose initializer names them.
  struct OpSymbols {
    std::string adaptor, name, kernel;
    StepWork work;
  };
  OpSymbols opSymbols(const StepOperation &operation) {
    return {adaptors.adaptorFor(operation), stringSymbol(operation.name), stringSymbol(kernelSymbol(operation.kernel)),
            operation.work};
  }
  Value stepOp(const OpSymbols &symbols) {
    const StepWork &work = symbols.work;
    return aggregate(types.stepOp, {addressOf(symbols.adaptor), addressOf(symbols.name), addressOf(symbols.kernel),
                                    real(work.operations), real(work.operationsPerSample), real(work.bytes),
                                    real(work.bytesPerSample), real(work.written), real(work.writtenPerSample)});
  }

  /// The symbol of a table of StepOp, or "" where there is none.
  std::string opTable(const std::string &name, const std::vector<StepOperation> &operations);
  std::string updateTable(const std::string &name, const std::vector<UpdateOperation> &updates);

  Location location() { return builder.getUnknownLoc(); }

  const StepProgram &program;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  StepTypes types;
  AdaptorBuilder adaptors;
  std::map<std::string, std::string> strings;
};

std::string ModuleBuilder::opTable(const std::string &name, const std::vector<StepOperation> &operations) {
  if (operations.empty())
    return "";
  std::vector<OpSymbols> entries;
  for (const StepOperation &operation : operations)
    entries.push_back(opSymbols(operation));
  Type type = LLVM::LLVMArrayType::get(types.stepOp, entries.size());
  makeConstant(type, LLVM::Linkage::Internal, name, [&] {
    Fields values;
    for (const OpSymbols &entry : entries)
      values.push_back(stepOp(entry));
    return aggregate(type, values);
  });
  return name;
}

std::string ModuleBuilder::updateTable(const std::string &name, const std::vector<UpdateOperation> &updates) {
  if (updates.empty())
    return "";
  std::vector<OpSymbols> entries;
  for (const UpdateOperation &update : updates)
    entries.push_back(opSymbols(update.operation));
  Type type = LLVM::LLVMArrayType::get(types.stepUpdate, entries.size());
  makeConstant(type, LLVM::Linkage::Internal, name, [&] {
    Fields values;
    for (size_t i = 0; i < entries.size(); ++i)
      values.push_back(aggregate(types.stepUpdate, {integer(types.i64, updates[i].first),
                                                    integer(types.i64, updates[i].last), stepOp(entries[i])}));
    return aggregate(type, values);
  });
  return name;
}

OwningOpRef<ModuleOp> ModuleBuilder::build(const std::string &planHash) {
  std::string hash = stringSymbol(planHash);
  std::string forwardBackward = opTable("forward_backward", program.forwardBackward);
  std::string evaluate = opTable("evaluate", program.evaluate);
  std::string updates = updateTable("updates", program.updates);
  auto count = [&](size_t size) { return integer(types.i64, static_cast<int64_t>(size)); };
  makeConstant(types.stepLibrary, LLVM::Linkage::External, kStepLibrarySymbol, [&] {
    return aggregate(types.stepLibrary,
                     {integer(types.i32, kStepAbiVersion), integer(types.i32, 0), addressOf(hash),
                      addressOf(forwardBackward), count(program.forwardBackward.size()), addressOf(evaluate),
                      count(program.evaluate.size()), addressOf(updates), count(program.updates.size())});
  });
  return std::move(module);
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> buildStepModule(mlir::MLIRContext &context, const StepProgram &program,
                                                  const std::string &planHash) {
  return ModuleBuilder(context, program).build(planHash);
}

} // namespace partyline::codegen
