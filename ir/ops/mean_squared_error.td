// The mean squared error, a training loss.
include "ir/PartyBase.td"

def Party_MeanSquaredErrorOp : Party_Op<"mean_squared_error", [LossOpInterface,
                                        DeclareOpInterfaceMethods<GradientOpInterface>,
                                        DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The mean of (output - target)^2 over the elements of a sample, per sample";
  let arguments = (ins Party_Float:$output, Party_Float:$targets);
  let results = (outs Party_Float:$loss);
}

def Party_MeanSquaredErrorGradientOp : Party_SameTypeOp<"mean_squared_error_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "2 (output - target) / elements of a sample / global batch";
  let arguments = (ins Party_Float:$output, Party_Float:$targets);
  let results = (outs Party_Float:$output_gradient);
}
