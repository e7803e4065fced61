//===- passes/pipeline.cpp - the way of a model through the passes --------===//
#include "passes/pipeline.h"

#include "passes/verify_stages.h"
#include "runtime/shared/error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partyline {

const std::vector<Stage> &stages() {
  static const std::vector<Stage> stages = {
      {"import", "ONNX semantics, NCHW"},
      {"loss", "with the training loss"},
      {"layout", "channels-last, weights permuted"},
      {"backward", "forward and backward, and the inference form"},
      {"optimizer", "fused and ordered, gradient arena laid out, with the update"},
  };
  return stages;
}

// A diagnostic as one line: where, if anywhere, and what.
static std::string lineOf(Diagnostic &diagnostic) {
  std::string line;
  llvm::raw_string_ostream stream(line);
  if (auto name = dyn_cast<NameLoc>(diagnostic.getLocation()))
    stream << name.getName().getValue() << ": ";
  stream << diagnostic;
  return line;
}

// Runs `body` and turns errors that it reports into an Error.
static void collectingErrors(MLIRContext *context, function_ref<LogicalResult()> body) {
  std::string messages;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      messages.append(messages.empty() ? "" : "\n").append(lineOf(diagnostic));
    return success();
  });
  if (failed(body()))
    throw cannotError(messages.empty() ? "the compiler failed without a word" : messages);
}

void runPipeline(ModuleOp module, const TrainingOptions &options, const std::string &last,
                 const std::function<void(const std::string &)> &observe) {
  MLIRContext *context = module.getContext();
  auto run = [&](auto addPasses) {
    PassManager manager(context);
    addPasses(manager);
    return manager.run(module);
  };
  auto verify = [&](const std::string &stage) -> LogicalResult {
    if (stage == "import")
      return verifyImported(module);
    if (stage == "layout")
      return verifyLayout(module);
    if (stage == "backward")
      return verifyBackward(module);
    return stage == "optimizer" ? verifyOptimizer(module) : success();
  };
  for (const Stage &stage : stages()) {
    collectingErrors(context, [&]() -> LogicalResult {
      LogicalResult done = run([&](PassManager &manager) {
        if (stage.name == "import") {
          manager.addPass(createInferShapes());
          if (!options.freeze.empty())
            manager.addPass(createFreeze({options.freeze}));
        }
        if (stage.name == "loss")
          manager.addPass(createAppendLoss({options.loss, options.labelSmoothing}));
        if (stage.name == "layout")
          manager.addPass(createChannelsLast());
        if (stage.name == "backward") {
          manager.addPass(createSplitPhases({options.batchNorm}));
          manager.addPass(createBackward());
        }
        if (stage.name == "optimizer") {
          manager.addPass(createFuse());
          manager.addPass(createOrder());
          manager.addPass(createGradientArena());
          manager.addPass(createOptimizer({options.optimizer, options.momentum, options.weightDecay, options.beta1,
                                           options.beta2, options.epsilon, options.trust}));
        }
      });
      return failed(done) ? done : verify(stage.name);
    });
    if (observe)
      observe(stage.name);
    if (stage.name == last)
      return;
  }
}

void runArena(ModuleOp module, int64_t microBatch) {
  collectingErrors(module.getContext(), [&]() -> LogicalResult {
    PassManager manager(module.getContext());
    manager.addPass(createArena({microBatch}));
    if (failed(manager.run(module)))
      return failure();
    return verifyArena(module);
  });
}

void registerDialects(DialectRegistry &registry) { registry.insert<party::PartyDialect, func::FuncDialect>(); }

} // namespace partyline
