// Relu and its gradient.
include "ir/PartyBase.td"

def Party_ReluOp : Party_SameTypeOp<"relu", [ElementwiseOpInterface, DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "max(x, 0)";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$output);
}

def Party_ReluGradientOp : Party_SameTypeOp<"relu_gradient", [ElementwiseOpInterface,
                                            DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "dx = y > 0 ? dy : 0, from the output: what the forward pass keeps anyway";
  let arguments = (ins Party_Float:$output, Party_Float:$output_gradient);
  let results = (outs Party_Float:$input_gradient);
}

def : OnnxImport<"Relu", [6, 13, 14], "importRelu">;
