// Cross-entropy of class scores, the training loss.
include "ir/PartyBase.td"

def Party_CrossEntropyOp : Party_Op<"cross_entropy", [DeclareOpInterfaceMethods<LossOpInterface, ["getLossReduction"]>,
                                    DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "-weights[label] log softmax(logits)[label], for every label; 0 where it is ignore_index";
  let description = [{
    With label smoothing s: 1 - s of that, and s of the mean over all classes in the label's place; then neither weights
    nor ignore_index.
  }];
  let arguments = (ins Party_Float:$logits, Party_Int:$labels, Optional<Party_Float>:$weights,
                   DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing, OptionalAttr<I64Attr>:$ignore_index,
                   DefaultValuedStrAttr<StrAttr, "mean">:$reduction);
  let hasVerifier = 1;
  let results = (outs Party_Float:$loss, Party_Float:$probabilities);
}

def Party_CrossEntropyGradientOp : Party_Op<"cross_entropy_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "weights[label] (probabilities - one-hot(label), smoothed) scale";
  let arguments = (ins Party_Float:$probabilities, Party_Int:$labels, Optional<Party_Float>:$weights,
                   DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing, OptionalAttr<I64Attr>:$ignore_index);
  let results = (outs Party_Float:$logits_gradient);
}

def : OnnxImport<"SoftmaxCrossEntropyLoss", [12, 13], "importSoftmaxCrossEntropyLoss",
                 "once, as the training loss; scores of rank 5 or less; constant class weights">;
