// Elu and its gradient.
include "ir/PartyBase.td"

def Party_EluOp : Party_SameTypeOp<"elu", [ElementwiseOpInterface, DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "input, or alpha * (exp(input) - 1) where it is negative";
  let arguments = (ins Party_Float:$input, F64Attr:$alpha);
  let results = (outs Party_Float:$output);
}

def Party_EluGradientOp : Party_SameTypeOp<"elu_gradient", [ElementwiseOpInterface,
                                            DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "dx = y > 0 ? dy : (y + alpha) * dy, from the output: what the forward pass keeps anyway";
  let arguments = (ins Party_Float:$output, Party_Float:$output_gradient, F64Attr:$alpha);
  let results = (outs Party_Float:$input_gradient);
}

def : OnnxImport<"Elu", [6, 22], "importElu", "alpha is not negative">;
