// Cross-entropy of class scores, the training loss.
include "ir/PartyBase.td"

def Party_CrossEntropyOp : Party_Op<"cross_entropy", [LossOpInterface,
                                    DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "-log softmax(logits)[label], per sample";
  let description = [{With label smoothing s: 1 - s of that, and s of the mean over all classes in the label's place.}];
  let arguments = (ins Party_Float:$logits, Party_Int:$labels, DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing);
  let hasVerifier = 1;
  let results = (outs Party_Float:$loss, Party_Float:$probabilities);
}

def Party_CrossEntropyGradientOp : Party_Op<"cross_entropy_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "(probabilities - one-hot(label), smoothed) / global batch";
  let arguments = (ins Party_Float:$probabilities, Party_Int:$labels,
                   DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing);
  let results = (outs Party_Float:$logits_gradient);
}
