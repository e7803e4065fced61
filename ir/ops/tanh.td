// Tanh and its gradient.
include "ir/PartyBase.td"

def Party_TanhOp : Party_SameTypeOp<"tanh", [ElementwiseOpInterface, DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "tanh(x)";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$output);
}

def Party_TanhGradientOp : Party_SameTypeOp<"tanh_gradient", [ElementwiseOpInterface,
                                            DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "dx = dy * (1 - y * y), from the output: what the forward pass keeps anyway";
  let arguments = (ins Party_Float:$output, Party_Float:$output_gradient);
  let results = (outs Party_Float:$input_gradient);
}

def : OnnxImport<"Tanh", [6, 13], "importTanh">;
