// Powers with a constant exponent, and their gradient.
include "ir/PartyBase.td"

def Party_PowerOp : Party_SameTypeOp<"power", [ElementwiseOpInterface, DeclareOpInterfaceMethods<GradientOpInterface>,
                                               DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "input^exponent; NaN where the input is negative and the exponent no integer";
  let arguments = (ins Party_Float:$input, F64Attr:$exponent);
  let results = (outs Party_Float:$output);
}

def Party_PowerGradientOp : Party_SameTypeOp<"power_gradient", [ElementwiseOpInterface,
                                                                DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "dx = dy exponent x^(exponent - 1)";
  let arguments = (ins Party_Float:$input, Party_Float:$output_gradient, F64Attr:$exponent);
  let results = (outs Party_Float:$input_gradient);
}

def : OnnxImport<"Pow", [7, 12, 13, 15], "importPow", "where the exponent is no constant scalar, the base is positive">;
