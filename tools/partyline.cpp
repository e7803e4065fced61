//===- tools/partyline.cpp - the command line -----------------------------===//
#include "tools/commands/commands.h"

#include "runtime/shared/error.h"

#include <cstdio>
#include <exception>

using namespace partyline;

int main(int argc, char **argv) {
  CLI::App app(
      "Trains neural networks on a cluster of phones.\n"
      "Example: partyline compile model.onnx -o model.party && partyline train model.party --data DIR -n 2\n"
      "Exit codes: 0 done, 1 failed while running, 2 wrong usage or input, 3 the model or plan cannot be done");
  app.name("partyline");
  app.set_version_flag("--version", std::string("partyline ") + PARTYLINE_VERSION);
  app.require_subcommand(1);
  commands::addModel(app);
  commands::addPlan(app);
  commands::addCompile(app);
  commands::addTrain(app);
  commands::addEvaluate(app);
  commands::addBench(app);
  commands::addExport(app);
  commands::addInspect(app);
  commands::addOps(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError &error) {
    return error.get_exit_code(); // of the workers, which have said why
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? kDone : kWrongInput;
  } catch (const Error &error) {
    fprintf(stderr, "partyline: error: %s\n", error.what());
    return error.exitCode;
  } catch (const std::exception &error) {
    fprintf(stderr, "partyline: error: %s\n", error.what());
    return kFailed;
  }
  return kDone;
}
