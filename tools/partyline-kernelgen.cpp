//===- partyline-kernelgen.cpp - makes kernel objects with Halide ---------===//
#include "codegen/kernels/generator.h"
#include "runtime/shared/error.h"

#include <CLI/CLI.hpp>

#include <iostream>

int main(int argc, char **argv) {
  using namespace partyline;
  CLI::App app("Writes one object file per kernel of a specification.\n"
               "Example: partyline-kernelgen --target arm-64-android --output objects --jobs 2 kernels.json");
  std::string targetText = "host", output = ".", specification, resolve;
  int jobs = 1;
  bool families = false;
  app.set_version_flag("--version", PARTYLINE_VERSION);
  app.add_option("specification", specification, "JSON array of {\"symbol\", \"family\", \"parameters\"}");
  app.add_option("--target", targetText, "Halide target: host, x86-64-linux-avx2-fma, arm-64-linux, arm-64-android");
  app.add_option("--output", output, "folder for the objects");
  app.add_option("--jobs", jobs, "processes that compile at once")->check(CLI::Range(1, 256));
  app.add_flag("--families", families, "list the kernel families and their parameters");
  app.add_option("--resolve-target", resolve, "print this target with host and defaults resolved");
  try {
    app.parse(argc, argv);
    if (families)
      kernels::printFamilies(std::cout);
    if (!resolve.empty())
      std::cout << kernels::resolveTarget(resolve).to_string() << "\n";
    if (families || !resolve.empty())
      return kDone;
    if (specification.empty())
      throw inputError("name a specification file, or see --help");
    return kernels::compileKernels(kernels::readRequests(specification), kernels::resolveTarget(targetText), output,
                                   jobs);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? kDone : kWrongInput;
  } catch (const Error &error) {
    std::cerr << "partyline-kernelgen: " << error.what() << "\n";
    return error.exitCode;
  } catch (const std::exception &error) {
    std::cerr << "partyline-kernelgen: " << error.what() << "\n";
    return kFailed;
  }
}
