// Clip and its gradient.
include "ir/PartyBase.td"

def Party_ClipOp : Party_SameTypeOp<"clip", [ElementwiseOpInterface, DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "min(max(input, minimum), maximum)";
  let arguments = (ins Party_Float:$input, F64Attr:$minimum, F64Attr:$maximum);
  let results = (outs Party_Float:$output);
  let hasVerifier = 1;
}

def Party_ClipGradientOp : Party_SameTypeOp<"clip_gradient", [ElementwiseOpInterface,
                                            DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "dx = minimum < y and y < maximum ? dy : 0, from the output: what the forward pass keeps anyway";
  let arguments = (ins Party_Float:$output, Party_Float:$output_gradient, F64Attr:$minimum, F64Attr:$maximum);
  let results = (outs Party_Float:$input_gradient);
}

def : OnnxImport<"Clip", [6, 11, 12, 13], "importClip", "constant bounds">;
