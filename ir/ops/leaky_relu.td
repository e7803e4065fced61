// LeakyRelu and its gradient.
include "ir/PartyBase.td"

def Party_LeakyReluOp : Party_SameTypeOp<"leaky_relu", [ElementwiseOpInterface, DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "input, or alpha * input where it is negative";
  let arguments = (ins Party_Float:$input, F64Attr:$alpha);
  let results = (outs Party_Float:$output);
}

def Party_LeakyReluGradientOp : Party_SameTypeOp<"leaky_relu_gradient", [ElementwiseOpInterface,
                                            DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "dx = y > 0 ? dy : alpha * dy, from the output: what the forward pass keeps anyway";
  let arguments = (ins Party_Float:$output, Party_Float:$output_gradient, F64Attr:$alpha);
  let results = (outs Party_Float:$input_gradient);
}

def : OnnxImport<"LeakyRelu", [6, 16], "importLeakyRelu", "alpha is not negative">;
