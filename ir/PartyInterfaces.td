//===- PartyInterfaces.td - what passes ask of an op ----------------------===//
#ifndef PARTY_INTERFACES
#define PARTY_INTERFACES

include "mlir/IR/OpBase.td"

def GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{An op that knows its own derivative (reverse mode).}];
  let methods = [
    InterfaceMethod<[{
      Builds the gradient of every operand from the gradients of the results (null where a result has none). Returns one
      value per operand, of the operand's type, null where the operand has no gradient. What turns out to be unused is
      erased later, so an op need not ask what is needed. Weight gradients come first: communication waits for them.
    }], "::llvm::SmallVector<::mlir::Value>", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$gradients)>
  ];
}

def LossOpInterface : OpInterface<"LossOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{
    An op whose first result is the losses of a batch, one or more for every sample, and the root of the backward pass:
    its gradient is that of their sum, times the call's scale (1 / what `getLossReduction` divides by) by
    itself, whatever gradient comes in.
  }];
  let methods = [
    InterfaceMethod<[{How the losses of a global batch become one number.}], "::partyline::LossReduction",
      "getLossReduction", (ins), "", [{ return {}; }]>
  ];
}

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{An op that runs as calls of generated kernels, one after the other.}];
  let methods = [
    InterfaceMethod<[{The kernels to call, with their arguments.}],
      "::llvm::SmallVector<::partyline::KernelCall>", "getKernelCalls">,
    InterfaceMethod<[{Floating-point operations: per sample, and per call independent of the samples.}],
      "::partyline::OpCost", "getCost", (ins), "", [{
        return ::partyline::elementwiseCost($_op);
      }]>
  ];
}

def ChannelsLastOpInterface : OpInterface<"ChannelsLastOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{
    A spatial op that exists in two forms, NCHW as in ONNX and channels-last, told apart by its unit attribute
    `channels_last`. Kernels exist for the second.
  }];
  let methods = [
    InterfaceMethod<[{The permutation that turns operand i into the channels-last form; empty: it stays.}],
      "::llvm::SmallVector<int64_t>", "getOperandPermutation", (ins "unsigned":$index)>,
    InterfaceMethod<[{The permutation that turns result i into the channels-last form; empty: it stays.}],
      "::llvm::SmallVector<int64_t>", "getResultPermutation", (ins "unsigned":$index)>
  ];
}

def ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{
    Every element of the one result depends on the elements of the floating-point operands at the same (broadcast) place:
    a transposition may move from the operands to the result.
  }];
  let methods = [
    InterfaceMethod<[{The number of leading operands that are data; those behind them are not transposed.}], "unsigned",
      "getNumDataOperands", (ins), "", [{ return $_op->getNumOperands(); }]>
  ];
}

def FusibleOpInterface : OpInterface<"FusibleOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{
    An op with a function of one element under its name in codegen/kernels/elements.h, of its operands and its
    floating-point attributes: one kernel can do it together with others (isFusible says when). Or party.slice: a kernel
    reads channels of a tensor where they lie.
  }];
  let methods = [
    InterfaceMethod<[{Whether the results are sums over all rows, one per channel: such an op ends a kernel.}], "bool",
      "sumsRows", (ins), "", [{ return false; }]>
  ];
}

def ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{The result is the first operand's memory under another shape: no kernel, no buffer.}];
}

def InferenceOpInterface : OpInterface<"InferenceOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{An op that acts differently at evaluation.}];
  let methods = [
    InterfaceMethod<[{Builds the inference form; returns what replaces the first result (the others have no use).}],
      "::mlir::Value", "buildInference", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{An op that is one to people and to its gradient, and several to the machine.}];
  let methods = [
    InterfaceMethod<[{Builds the parts; returns what replaces the results.}], "::llvm::SmallVector<::mlir::Value>",
      "decompose", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def StatisticsOpInterface : OpInterface<"StatisticsOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{An op that moves running statistics: state *= rate, state += (1 - rate) * statistic.}];
  let methods = [
    InterfaceMethod<[{Which state moves towards which result of the op.}],
      "::llvm::SmallVector<::partyline::StateUpdate>", "getStateUpdates">
  ];
}

def StoreOpInterface : OpInterface<"StoreOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{
    Adds operand 0 to the slot of a weight tensor in the gradient arena: the gradient of a parameter, or the statistic of a
    state. The slot's first element is the attribute `offset`, once the gradient arena is laid out.
  }];
  let methods = [
    InterfaceMethod<[{The ONNX name of the weight tensor.}], "::llvm::StringRef", "getStoredTensor">,
    InterfaceMethod<[{The rule that @update follows for this tensor: its rate; nothing: the optimizer's.}],
      "std::optional<double>", "getMovingAverageRate", (ins), "", [{ return std::nullopt; }]>
  ];
  let verify = [{
    if (!::llvm::cast<::mlir::RankedTensorType>($_op->getOperand(0).getType()).hasStaticShape())
      return $_op->emitOpError("stores a value with a batch; a weight has none");
    return ::mlir::success();
  }];
}

def UpdateOpInterface : OpInterface<"UpdateOpInterface"> {
  let cppNamespace = "::partyline::party";
  let description = [{An op of @update: changes the elements [first, last) of the weight arena from their gradients.}];
  let methods = [
    InterfaceMethod<[{First element.}], "int64_t", "getRangeFirst", (ins), "", [{ return $_op.getFirst(); }]>,
    InterfaceMethod<[{Behind the last element.}], "int64_t", "getRangeLast", (ins), "", [{ return $_op.getLast(); }]>,
    InterfaceMethod<[{
      The kernel: scalars, then one flat buffer per entry of `slots`: gradient, weight or an optimizer slot.
    }], "::partyline::UpdateKernelCall", "getUpdateKernel">
  ];
  let verify = [{
    auto update = ::llvm::cast<::partyline::party::UpdateOpInterface>($_op);
    if (update.getRangeFirst() < 0 || update.getRangeLast() <= update.getRangeFirst())
      return $_op->emitOpError("must change a range of elements [first, last)");
    return ::mlir::success();
  }];
}

#endif // PARTY_INTERFACES
