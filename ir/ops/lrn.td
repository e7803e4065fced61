// Local response normalisation across channels.
include "ir/PartyBase.td"

class Party_LrnOpBase<string mnemonic, dag operands, list<Trait> traits> : Party_SameTypeOp<mnemonic, traits> {
  let arguments = !con(operands, (ins I64Attr:$size, F64Attr:$alpha, F64Attr:$beta, F64Attr:$bias));
  let hasVerifier = 1;
}

def Party_LrnOp : Party_LrnOpBase<"lrn", (ins Party_Float:$input), [
    DeclareOpInterfaceMethods<GradientOpInterface>, DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "x / (bias + alpha / size * the sum of squares of `size` neighbours in the last dimension)^beta";
  let description = [{The window begins (size - 1) / 2 before its element, as ONNX says; outside there are zeros.}];
  let results = (outs Party_Float:$output);
}

def Party_LrnGradientOp : Party_LrnOpBase<"lrn_gradient", (ins Party_Float:$input, Party_Float:$output_gradient), [
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "dx = dy s^-beta - 2 alpha beta / size x * the sum of dy x s^(-beta - 1) over the windows that x is in";
  let results = (outs Party_Float:$input_gradient);
}

def : OnnxImport<"LRN", [1, 13], "importLrn">;
