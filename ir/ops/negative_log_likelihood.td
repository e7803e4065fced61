// The negative logarithm of the label's probability, a training loss of what are logarithms already.
include "ir/PartyBase.td"

def Party_NegativeLogLikelihoodOp : Party_Op<"negative_log_likelihood", [
    DeclareOpInterfaceMethods<LossOpInterface, ["getLossReduction"]>, DeclareOpInterfaceMethods<GradientOpInterface>,
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "-weights[label] logarithms[label], for every label; 0 where it is ignore_index";
  let arguments = (ins Party_Float:$logarithms, Party_Int:$labels, Optional<Party_Float>:$weights,
                   OptionalAttr<I64Attr>:$ignore_index, DefaultValuedStrAttr<StrAttr, "mean">:$reduction);
  let hasVerifier = 1;
  let results = (outs Party_Float:$loss);
}

def Party_NegativeLogLikelihoodGradientOp : Party_Op<"negative_log_likelihood_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "-weights[label] one-hot(label) scale";
  let arguments = (ins Party_Int:$labels, Optional<Party_Float>:$weights, I64Attr:$classes,
                   OptionalAttr<I64Attr>:$ignore_index);
  let results = (outs Party_Float:$logarithms_gradient);
}

def : OnnxImport<"NegativeLogLikelihoodLoss", [12, 13], "importNegativeLogLikelihoodLoss",
                 "once, as the training loss; scores of rank 5 or less; constant class weights">;
