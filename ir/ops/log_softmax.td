// LogSoftmax over the last dimension and its gradient.
include "ir/PartyBase.td"

def Party_LogSoftmaxOp : Party_SameTypeOp<"log_softmax", [DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "x - log(sum(exp(x))), over the last dimension";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$output);
  let hasVerifier = 1;
}

def Party_LogSoftmaxGradientOp : Party_SameTypeOp<"log_softmax_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "dx = dy - exp(y) * sum(dy)";
  let arguments = (ins Party_Float:$output, Party_Float:$output_gradient);
  let results = (outs Party_Float:$input_gradient);
  let hasVerifier = 1;
}

def : OnnxImport<"LogSoftmax", [1, 11, 13], "importLogSoftmax", "not over the batch">;
