//===- codegen/step_emitter.cpp - from a step program to an object file ---===//

#include "codegen/step_emitter.h"

#include "codegen/step_module.h"
#include "codegen/target.h"
#include "runtime/shared/error.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"

namespace partyline::codegen {
namespace {

/// A module with its context, and what MLIR had to say about it.
class StepModule {
public:
  StepModule(const StepProgram &program, const llvm::TargetMachine &machine, const std::string &planHash)
      : context(registry(), mlir::MLIRContext::Threading::DISABLED), diagnostics(&context, [this](mlir::Diagnostic &d) {
          messages += '\n';
          messages += d.str();
        }) {
    context.loadAllAvailableDialects();
    module = buildStepModule(context, program, planHash);
    auto text = [&](const std::string &value) { return mlir::StringAttr::get(&context, value); };
    module.get()->setAttr(mlir::LLVM::LLVMDialect::getTargetTripleAttrName(), text(machine.getTargetTriple().str()));
    module.get()->setAttr(mlir::LLVM::LLVMDialect::getDataLayoutAttrName(),
                          text(machine.createDataLayout().getStringRepresentation()));
    if (mlir::failed(mlir::verify(*module)))
      fail("the step's module is malformed");
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream out(text);
    module->print(out);
    return text;
  }

  std::unique_ptr<llvm::Module> translate(llvm::LLVMContext &llvmContext) {
    std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(*module, llvmContext, "step");
    if (!translated)
      fail("the step's module cannot be translated");
    llvm::raw_string_ostream out(messages);
    if (llvm::verifyModule(*translated, &out))
      fail("the step's LLVM IR is malformed");
    return translated;
  }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry result;
    result.insert<mlir::LLVM::LLVMDialect>();
    mlir::registerBuiltinDialectTranslation(result);
    mlir::registerLLVMDialectTranslation(result);
    return result;
  }

  [[noreturn]] void fail(const std::string &what) { throw runError("internal error: " + what + messages); }

  mlir::MLIRContext context;
  std::string messages;
  mlir::ScopedDiagnosticHandler diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

std::string printStepModule(const StepProgram &program, const std::string &target, const std::string &planHash) {
  return StepModule(program, *makeTargetMachine(target), planHash).print();
}

std::string emitStepObject(const StepProgram &program, const std::string &target, const std::string &planHash) {
  std::unique_ptr<llvm::TargetMachine> machine = makeTargetMachine(target);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = StepModule(program, *machine, planHash).translate(context);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile))
    throw runError("internal error: no object emitter for " + machine->getTargetTriple().str());
  passes.run(*module);
  return std::string(object.data(), object.size());
}

} // namespace partyline::codegen
