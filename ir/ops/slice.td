// A regular part of a tensor.
include "ir/PartyBase.td"

def Party_SliceOp : Party_Op<"slice", [FusibleOpInterface, DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
                                       DeclareOpInterfaceMethods<GradientOpInterface>,
                                       DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "The elements start + i * step, 0 <= i < extent, of every dimension";
  let description = [{
    Dimensions are counted as ONNX has them; with `channels_last` images lie in memory as NHWC all the same. A batch is
    taken whole: its start is 0, its step 1 and its extent dynamic.
  }];
  let arguments = (ins Party_Float:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$extents,
                   DenseI64ArrayAttr:$steps, UnitAttr:$channels_last);
  let results = (outs Party_Float:$result);
  let hasFolder = 1;
}

def : OnnxImport<"Slice", [1, 10, 11, 13], "importSlice", "constant bounds, positive steps, not the batch">;
def : OnnxImport<"Split", [2, 11, 13, 18], "importSplit", "constant sizes, not the batch">;
def : OnnxImport<"SplitToSequence", [11], "importSplitToSequence", "constant sizes, not the batch; SequenceAt takes the parts">;
def : OnnxImport<"SequenceAt", [11], "importSequenceAt", "a constant place in what SplitToSequence made">;
