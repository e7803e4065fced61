// Max pooling and its gradient.
include "ir/PartyBase.td"

def Party_MaxPoolOp : Party_Op<"max_pool", [DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
                                            DeclareOpInterfaceMethods<GradientOpInterface>,
                                            DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The maximum of every window, and its position in the window";
  let description = [{
    `index` is ky * kernel[1] + kx of the first maximum in row-major order, which takes all of the gradient. It has eight
    bits where they are enough.
  }];
  let arguments = (ins Party_Float:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, UnitAttr:$ceil_mode, UnitAttr:$channels_last);
  let results = (outs Party_Float:$output, Party_Index:$index);
}

def Party_MaxPoolGradientOp : Party_Op<"max_pool_gradient", [DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "Every output's gradient goes to the input that was its maximum; `input_shape` is [H, W, C]";
  let arguments = (ins Party_Float:$output_gradient, Party_Index:$index, DenseI64ArrayAttr:$input_shape,
                   DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                   DenseI64ArrayAttr:$dilations);
  let results = (outs Party_Float:$input_gradient);
  let hasVerifier = 1;
}

def : OnnxImport<"GlobalMaxPool", [1], "importGlobalMaxPool", "up to 65536 positions">;
def : OnnxImport<"MaxPool", [1, 8, 10, 11, 12], "importMaxPool", "windows that move along one or two axes, the first output alone">;
