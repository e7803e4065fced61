// Binary cross-entropy of scores, a training loss.
include "ir/PartyBase.td"

def Party_BinaryCrossEntropyOp : Party_Op<"binary_cross_entropy", [LossOpInterface,
                                          DeclareOpInterfaceMethods<GradientOpInterface>,
                                          DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The mean of -t log sigmoid(x) - (1 - t) log(1 - sigmoid(x)) over the elements of a sample, per sample";
  let arguments = (ins Party_Float:$logits, Party_Float:$targets);
  let results = (outs Party_Float:$loss);
}

def Party_BinaryCrossEntropyGradientOp : Party_SameTypeOp<"binary_cross_entropy_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "(sigmoid(x) - t) / elements of a sample / global batch";
  let arguments = (ins Party_Float:$logits, Party_Float:$targets);
  let results = (outs Party_Float:$logits_gradient);
}
