// Softmax over the last dimension and its gradient.
include "ir/PartyBase.td"

def Party_SoftmaxOp : Party_SameTypeOp<"softmax", [DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "exp(x) / sum(exp(x)), over the last dimension";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$output);
  let hasVerifier = 1;
}

def Party_SoftmaxGradientOp : Party_SameTypeOp<"softmax_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "dx = y * (dy - sum(y * dy))";
  let arguments = (ins Party_Float:$output, Party_Float:$output_gradient);
  let results = (outs Party_Float:$input_gradient);
  let hasVerifier = 1;
}

def : OnnxImport<"Softmax", [1, 11, 13], "importSoftmax", "not over the batch">;
