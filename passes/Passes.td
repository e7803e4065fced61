//===- Passes.td - the passes over a training step, in pipeline order -----===//
//
// Each def is a pass in a file of the same name: its prose says why it exists, and what stands before and after it.
// pipeline.cpp strings them together.
//
//===----------------------------------------------------------------------===//
#ifndef PARTY_PASSES
#define PARTY_PASSES

include "mlir/Pass/PassBase.td"

class PartyPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::partyline::party::PartyDialect", "::mlir::func::FuncDialect"];
}

def InferShapes : PartyPass<"party-infer-shapes"> {
  let summary = "Makes every op's result types follow from its operands";
  let description = [{
    Walks each function in order and asks every op that infers its types (InferTypeOpInterface) for them. Types may become
    different, as after a hand-made change of an input's shape; an op that refuses its operands is an error.
    After it: the return types of the function agree with what it returns.
  }];
}

def Freeze : PartyPass<"party-freeze"> {
  let summary = "Makes constants of the parameters that are not to be trained";
  let description = [{
    Patterns are globs on ONNX names (`*`, `?`, `[a-z]`). One that matches nothing, or all of them that leave nothing to
    train, are errors. What is a constant has no gradient, no place in the gradient arena and no optimizer state; where
    nothing before it is trained either, backward ends there. The module's `party.frozen_parameters` says how many.
  }];
  let options = [ListOption<"patterns", "patterns", "std::string", "names of parameters to freeze">];
}

def AppendLoss : PartyPass<"party-append-loss"> {
  let summary = "Ends @model with the loss of its output, where it has none";
  let description = [{
    Before it: @model(input, sample ids) returns the network's output. After it: @model(input, sample ids, targets)
    returns (loss per sample, output). The targets are class labels for cross-entropy, for the mean squared error and
    binary cross-entropy numbers of the output's shape. A trailing Softmax or LogSoftmax is absorbed by cross-entropy, a
    Sigmoid by its binary form: the loss is computed of what goes into it, which is exact where the probability
    underflows; the output stays what the network says. A model that was imported with a loss of its own, and so takes
    labels and returns (losses, output) already, is left as it is.
  }];
  let options = [
    Option<"loss", "loss", "std::string", "\"cross_entropy\"", "cross_entropy, mse or bce">,
    Option<"labelSmoothing", "label-smoothing", "double", "0.0", "of cross_entropy">
  ];
}

def ChannelsLast : PartyPass<"party-channels-last"> {
  let summary = "Makes spatial tensors channels-last";
  let description = [{
    Spatial ops (ChannelsLastOpInterface) are rewritten to their channels-last form between transpositions; these sink
    through elementwise ops, meet and cancel. What reaches a weight becomes the weight's layout in memory, what reaches
    the input becomes the input's layout; only where a model really mixes orders does a transposition stay.
    After it: no spatial op is in NCHW form.
  }];
}

def SplitPhases : PartyPass<"party-split-phases"> {
  let summary = "Makes @forward_backward and @evaluate of @model";
  let description = [{
    @evaluate is the inference form: ops that act differently there (InferenceOpInterface) are replaced, so Dropout
    vanishes and BatchNorm takes its running statistics. In @forward_backward, ops with statistics
    (StatisticsOpInterface) are followed by party.store_statistic. `statistics` says which they are: the micro-batch's,
    towards which the running ones move by ONNX's rule (train) or by PyTorch's, whose running variance is unbiased
    (torch), or the running ones themselves, in @forward_backward too (frozen): they are constants then.
  }];
  let options = [Option<"statistics", "statistics", "std::string", "\"train\"", "train, torch or frozen">];
}

def Backward : PartyPass<"party-backward"> {
  let summary = "Appends the gradients of all parameters to @forward_backward";
  let description = [{
    Reverse mode, from the loss (the first returned value) to the parameters: ops are visited in reverse order, each
    builds the gradients of its operands behind GradientOpInterface; gradients of a value that is used several times are
    summed in the order in which they come up. Every parameter's gradient ends in a party.store_gradient.
  }];
}

def Fuse : PartyPass<"party-fuse"> {
  let summary = "Makes one kernel of elementwise ops that follow each other";
  let description = [{
    Such ops wait for memory, not for arithmetic: a value that one hands to the next in a register costs nothing. Ops
    with several kernels are taken apart first (batch_norm: the statistics, and the normalisation, which is elementwise).
    Then a party.fused takes in another one's ops where all who read its result can, and read no more for it than they
    save; or where it reads the other's operands anyway: so the gradient of an activation behind a batch_norm is
    computed from the batch_norm's input, once more, rather than read. The values are the same to the bit.
  }];
}

def Order : PartyPass<"party-order"> {
  let summary = "Orders the ops of @forward_backward for memory and early gradients";
  let description = [{
    Two orders are tried, the better by the most bytes that live at one moment is kept (ties: the first). As written, with
    every op that leads only to a store moved up to where its operands are ready, so that gradients start travelling
    early; and the same moved down as far as memory asks: list scheduling that at every step takes the ready op which
    frees the most.
  }];
}

def GradientArena : PartyPass<"party-gradient-arena"> {
  let summary = "Lays out gradients and weights";
  let description = [{
    Gradients lie in the order in which backward finishes them, statistics behind them (they ride in the last bucket),
    constants behind these in the weight arena only; every tensor begins at a multiple of 16 elements. Sets `offset` of
    all party.parameter and store ops, and the module's `party.gradient_elements` and `party.weight_elements`. An op that
    can accumulate (KernelCall::accumulates) and whose result is only stored writes into the arena by itself.
  }];
}

def Optimizer : PartyPass<"party-optimizer"> {
  let summary = "Makes @update: the optimizer's rule on ranges of the gradient arena";
  let description = [{
    Neighbouring tensors with the same rule and factors share one op, but for those whose norms lars takes. Parameters follow the optimizer, states their moving
    average. The module's `party.optimizer_slots` names the buffers that the optimizer keeps per element.
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"sgd\"", "sgd, adamw or lars">,
    Option<"momentum", "momentum", "double", "0.0", "momentum of sgd and lars">,
    Option<"weightDecay", "weight-decay", "double", "0.0", "weight decay; of lars: of the tensors it adapts">,
    Option<"beta1", "beta1", "double", "0.9", "of adamw: the rate of the gradients' average">,
    Option<"beta2", "beta2", "double", "0.999", "of adamw: the rate of their squares' average">,
    Option<"epsilon", "epsilon", "double", "1e-8", "of adamw: added to the root of the squares">,
    Option<"trust", "trust", "double", "0.001", "of lars: the trust coefficient">
  ];
}

def Arena : PartyPass<"party-arena"> {
  let summary = "Gives every value a place in the arena for a micro-batch";
  let description = [{
    Sets `party.offsets` (bytes from the beginning of the activation part, one per result; arguments: `party.offsets` of
    the function) and the module's `party.activation_bytes`. Views share their operand's buffer, elementwise ops may
    overwrite an operand that dies; the places come from planner/arena.h and are checked by its validator. The two
    phases never run at the same time, so they share one arena.
  }];
  let options = [Option<"microBatch", "micro-batch", "int64_t", "1", "samples per call">];
}

#endif // PARTY_PASSES
