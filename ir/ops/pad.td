// A tensor with constant values around it.
include "ir/PartyBase.td"

def Party_PadOp : Party_Op<"pad", [DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
                                   DeclareOpInterfaceMethods<GradientOpInterface>,
                                   DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "The input with `value` before, behind and between the elements of every dimension";
  let description = [{
    `low` and `high` elements are put around, `interior` ones between any two neighbours, as XLA's pad does: so it is the
    gradient of a slice, and a slice is its own. Dimensions are counted as ONNX has them; with `channels_last` images lie
    in memory as NHWC all the same.
  }];
  let arguments = (ins Party_Float:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior,
                   F64Attr:$value, UnitAttr:$channels_last);
  let results = (outs Party_Float:$result);
  let hasFolder = 1;
}

def : OnnxImport<"Pad", [2, 11, 13, 18, 19, 21], "importPad", "constant pads, not the batch">;
