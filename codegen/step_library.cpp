//===- codegen/step_library.cpp - a step program becomes a step library ---===//

#include "codegen/step_library.h"

#include "codegen/linker.h"
#include "codegen/step_emitter.h"
#include "codegen/temporary_file.h"

#include <set>

namespace fs = std::filesystem;

namespace partyline::codegen {

std::vector<KernelSpec> kernelsOf(const StepProgram &program) {
  std::set<KernelSpec> kernels;
  for (const StepOperation &operation : program.forwardBackward)
    kernels.insert(operation.kernel);
  for (const StepOperation &operation : program.evaluate)
    kernels.insert(operation.kernel);
  for (const UpdateOperation &update : program.updates)
    kernels.insert(update.operation.kernel);
  return {kernels.begin(), kernels.end()};
}

void buildStepLibrary(const StepProgram &program, const std::string &target, const std::string &planHash,
                      const fs::path &output, unsigned jobs, const KernelProgress &progress) {
  const std::string step = emitStepObject(program, target, planHash);
  std::vector<fs::path> objects = generateKernels(kernelsOf(program), target, jobs, progress);
  const TemporaryFile stepObject(output.string() + ".step.o", step);
  objects.insert(objects.begin(), stepObject.path);
  linkStepLibrary(objects, output);
  checkStepLibrary(output);
}

} // namespace partyline::codegen
