// Mean over all spatial positions.
include "ir/PartyBase.td"

def Party_GlobalAveragePoolOp : Party_Op<"global_average_pool", [DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
    DeclareOpInterfaceMethods<GradientOpInterface>, DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The mean over the spatial dimensions, which stay with extent 1";
  let arguments = (ins Party_Float:$input, UnitAttr:$channels_last);
  let results = (outs Party_Float:$output);
}

def Party_GlobalAveragePoolGradientOp : Party_Op<"global_average_pool_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "Spreads the gradient evenly; `input_shape` is [spatial..., C]";
  let arguments = (ins Party_Float:$output_gradient, DenseI64ArrayAttr:$input_shape);
  let results = (outs Party_Float:$input_gradient);
  let hasVerifier = 1;
}

def : OnnxImport<"GlobalAveragePool", [1], "importGlobalAveragePool">;
