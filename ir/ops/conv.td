// Two-dimensional convolution and its gradients.
include "ir/PartyBase.td"


def Party_ConvOp : Party_Op<"conv", [DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
                                     DeclareOpInterfaceMethods<GradientOpInterface>,
                                     DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "Convolution with groups, strides, dilations and zero padding";
  let description = [{
    `pads` are top, left, bottom, right. NCHW form: input [N, C, H, W], weight [O, C/groups, kh, kw]; channels-last form:
    input [N, H, W, C], weight [kh, kw, C/groups, O].
  }];
  let arguments = (ins Party_Float:$input, Party_Float:$weight, Optional<Party_Float>:$bias, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups, UnitAttr:$channels_last);
  let results = (outs Party_Float:$output);
}

def Party_ConvInputGradientOp : Party_Op<"conv_input_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The gradient of a channels-last convolution's input; `input_shape` is [H, W, C]";
  let arguments = (ins Party_Float:$output_gradient, Party_Float:$weight, DenseI64ArrayAttr:$input_shape,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Party_Float:$input_gradient);
  let hasVerifier = 1;
}

def Party_ConvWeightGradientOp : Party_Op<"conv_weight_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The gradient of a channels-last convolution's weight; `weight_shape` is [kh, kw, C/groups, O]";
  let arguments = (ins Party_Float:$input, Party_Float:$output_gradient, DenseI64ArrayAttr:$weight_shape,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Party_Float:$weight_gradient);
  let hasVerifier = 1;
}

def : OnnxImport<"Conv", [1, 11], "importConv", "windows that move along one or two axes">;
