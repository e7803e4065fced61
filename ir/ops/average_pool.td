// Average pooling and its gradient.
include "ir/PartyBase.td"

def Party_AveragePoolOp : Party_Op<"average_pool", [DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
                                                    DeclareOpInterfaceMethods<GradientOpInterface>,
                                                    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The mean of every window";
  let description = [{
    The divisor counts the window's elements inside the image, or inside the padded image with `count_include_pad`: what a
    last window of ceil_mode has beyond the padding never counts.
  }];
  let arguments = (ins Party_Float:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$pads, UnitAttr:$count_include_pad, UnitAttr:$ceil_mode, UnitAttr:$channels_last);
  let results = (outs Party_Float:$output);
}

def Party_AveragePoolGradientOp : Party_Op<"average_pool_gradient", [DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "Every output's gradient, divided, goes to its window; `input_shape` is [H, W, C]";
  let arguments = (ins Party_Float:$output_gradient, DenseI64ArrayAttr:$input_shape, DenseI64ArrayAttr:$kernel,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, UnitAttr:$count_include_pad);
  let results = (outs Party_Float:$input_gradient);
  let hasVerifier = 1;
}

def : OnnxImport<"AveragePool", [1, 7, 10, 11, 19], "importAveragePool", "windows that move along one or two axes, without dilations">;
