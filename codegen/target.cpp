//===- codegen/target.cpp - Halide targets as LLVM triples ----------------===//

#include "codegen/target.h"

#include "runtime/shared/error.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

namespace partyline::codegen {
namespace {

struct KnownTarget {
  llvm::StringLiteral prefix, triple;
};
constexpr KnownTarget kKnownTargets[] = {
    {"x86-64-linux", "x86_64-unknown-linux-gnu"},
    {"x86-64-android", "x86_64-unknown-linux-android"},
    {"arm-64-linux", "aarch64-unknown-linux-gnu"},
    {"arm-64-android", "aarch64-unknown-linux-android"},
};

void initializeTargets() {
  static const bool once = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    return true;
  }();
  (void)once;
}

} // namespace

std::string tripleOf(const std::string &target) {
  std::string known;
  for (const KnownTarget &candidate : kKnownTargets) {
    llvm::StringRef rest = target;
    if (rest.consume_front(candidate.prefix) && (rest.empty() || rest.starts_with("-")))
      return candidate.triple.str();
    known += (known.empty() ? "" : ", ") + candidate.prefix.str();
  }
  throw cannotError("target '" + target + "' is not supported; a target is one of " + known +
                    " with features such as -avx2-fma behind it, or host");
}

std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const std::string &target) {
  initializeTargets();
  const std::string triple = tripleOf(target);
  std::string message;
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!backend)
    throw runError("internal error: " + message);
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(triple, /*CPU=*/"generic", /*Features=*/"",
                                                                            llvm::TargetOptions(), llvm::Reloc::PIC_,
                                                                            std::nullopt, llvm::CodeGenOptLevel::None));
  if (!machine)
    throw runError("internal error: no code generator for " + triple);
  return machine;
}

} // namespace partyline::codegen
