// Concatenation.
include "ir/PartyBase.td"

def Party_ConcatOp : Party_Op<"concat", [DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
                                         DeclareOpInterfaceMethods<GradientOpInterface>,
                                         DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "The inputs one behind the other along dimension `axis`";
  let description = [{
    `axis` counts the dimensions as ONNX has them; with `channels_last` images lie in memory as NHWC all the same.
  }];
  let arguments = (ins Variadic<Party_Float>:$inputs, I64Attr:$axis, UnitAttr:$channels_last);
  let results = (outs Party_Float:$result);
  let extraClassDeclaration = [{
    /// The dimension as the tensors have it now.
    int64_t getStoredAxis();
  }];
}

def : OnnxImport<"Concat", [4, 11, 13], "importConcat", "not over the batch">;
