//===- passes/freeze.cpp - see Passes.td ----------------------------------===//
#include "passes/passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;

namespace partyline {

#define GEN_PASS_DEF_FREEZE
#include "passes/Passes.h.inc"

namespace {

struct FreezePass : impl::FreezeBase<FreezePass> {
  using FreezeBase::FreezeBase;

  void runOnOperation() override {
    FailureOr<func::FuncOp> phase = requirePhase(getOperation(), kModelFunction);
    if (failed(phase))
      return signalPassFailure();
    llvm::StringSet<> trained, frozen;
    for (auto parameter : phase->getOps<party::ParameterOp>())
      if (parameter.getKind() == kParameterKind)
        trained.insert(parameter.getName());
    for (const std::string &text : patterns) {
      llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
      if (!pattern)
        return fail("freeze: '" + text + "' is no pattern: " + llvm::toString(pattern.takeError()));
      bool found = false;
      for (StringRef name : trained.keys())
        if (pattern->match(name)) {
          frozen.insert(name);
          found = true;
        }
      if (!found)
        return fail("freeze: no trained parameter is named like '" + text + "'; they are " + namesOf(trained));
    }
    if (frozen.size() == trained.size())
      return fail("freeze: nothing is left to train");
    for (auto parameter : phase->getOps<party::ParameterOp>())
      if (frozen.contains(parameter.getName()))
        parameter.setKind(kConstantKind);
    getOperation()->setAttr(kFrozenParameters, Builder(&getContext()).getI64IntegerAttr(int64_t(frozen.size())));
  }

  void fail(const std::string &message) {
    getOperation().emitError(message);
    signalPassFailure();
  }

  static std::string namesOf(const llvm::StringSet<> &set) {
    std::vector<StringRef> names(set.keys().begin(), set.keys().end());
    llvm::sort(names);
    return llvm::join(names, ", ");
  }
};

} // namespace
} // namespace partyline
