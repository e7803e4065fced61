//===- ir/party.cpp - registration of the party dialect -------------------===//
#include "ir/broadcast.h"

#include "mlir/IR/DialectImplementation.h"

#include "ir/PartyDialect.cpp.inc"
#include "ir/PartyInterfaces.cpp.inc"

bool partyline::isBatchFirst(mlir::RankedTensorType type) {
  llvm::ArrayRef<int64_t> shape = type.getShape();
  return llvm::none_of(shape, [](int64_t extent) { return extent == 0; }) &&
         (shape.empty() || llvm::none_of(shape.drop_front(), mlir::ShapedType::isDynamic));
}

void partyline::party::PartyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/PartyOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "ir/PartyOps.cpp.inc"
