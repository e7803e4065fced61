//===- ir/party.cpp - registration of the party dialect -------------------===//
#include "ir/party.h"

#include "mlir/IR/DialectImplementation.h"

#include "ir/PartyDialect.cpp.inc"
#include "ir/PartyInterfaces.cpp.inc"

void partyline::party::PartyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/PartyOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "ir/PartyOps.cpp.inc"
