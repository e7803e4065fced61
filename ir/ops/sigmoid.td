// Sigmoid and its gradient.
include "ir/PartyBase.td"

def Party_SigmoidOp : Party_SameTypeOp<"sigmoid", [ElementwiseOpInterface, DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "1 / (1 + exp(-x))";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$output);
}

def Party_SigmoidGradientOp : Party_SameTypeOp<"sigmoid_gradient", [ElementwiseOpInterface,
                                            DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "dx = dy * y * (1 - y), from the output: what the forward pass keeps anyway";
  let arguments = (ins Party_Float:$output, Party_Float:$output_gradient);
  let results = (outs Party_Float:$input_gradient);
}

def : OnnxImport<"Sigmoid", [6, 13], "importSigmoid">;
