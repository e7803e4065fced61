//===- tools/partyline-opt.cpp - runs any pass alone ----------------------===//
#include "passes/pipeline.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  partyline::registerDialects(registry);
  partyline::registerPartyPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Partyline's pass driver\n", registry));
}
