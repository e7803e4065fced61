// Transposed convolution.
include "ir/PartyBase.td"

def Party_ConvTransposeOp : Party_Op<"conv_transpose", [DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
                                     DeclareOpInterfaceMethods<GradientOpInterface>,
                                     DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The gradient of a convolution's input as an operator of its own: it makes images larger";
  let description = [{
    `output_size` is the result's height and width, of which the convolution described by the attributes would make the
    input. NCHW form: input [N, C, H, W], weight [C, O/groups, kh, kw]; channels-last form: input [N, H, W, C], weight
    [kh, kw, O/groups, C].
  }];
  let arguments = (ins Party_Float:$input, Party_Float:$weight, DenseI64ArrayAttr:$output_size,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                   UnitAttr:$channels_last);
  let results = (outs Party_Float:$output);
}

def : OnnxImport<"ConvTranspose", [1, 11], "importConvTranspose", "two-dimensional">;
