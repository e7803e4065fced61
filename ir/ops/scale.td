// Multiplication by a constant.
include "ir/PartyBase.td"

def Party_ScaleOp : Party_SameTypeOp<"scale", [ElementwiseOpInterface, DeclareOpInterfaceMethods<GradientOpInterface>,
                                     DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "input * factor";
  let arguments = (ins Party_Float:$input, F64Attr:$factor);
  let results = (outs Party_Float:$output);
}

def : OnnxImport<"Neg", [6, 13], "importNeg">;
