//===- ir/party.h - the party dialect, everything of it -------------------===//
#pragma once

#include "ir/kernel_call.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace partyline {

/// Whether no extent is 0 and only the first is dynamic: what holds of every tensor of the dialect.
bool isBatchFirst(mlir::RankedTensorType type);

} // namespace partyline

#include "ir/PartyDialect.h.inc"
#include "ir/PartyInterfaces.h.inc"

#define GET_OP_CLASSES
#include "ir/PartyOps.h.inc"

namespace partyline {

/// The kind of a party.parameter (its attribute `kind`), as in the manifest.
inline constexpr llvm::StringLiteral kParameterKind = "parameter", kStateKind = "state", kConstantKind = "constant";

/// Names of the phases' functions.
inline constexpr llvm::StringLiteral kModelFunction = "model", kForwardBackwardFunction = "forward_backward",
                                     kEvaluateFunction = "evaluate", kUpdateFunction = "update";

} // namespace partyline
