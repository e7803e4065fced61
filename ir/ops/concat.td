// Concatenation, and a part of a tensor.
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

def Party_SliceOp : Party_Op<"slice", [DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "The input's elements [first, first + extent) of dimension `axis`, dimensions as the tensor has them";
  let arguments = (ins Party_Float:$input, I64Attr:$axis, I64Attr:$first, I64Attr:$extent);
  let results = (outs Party_Float:$result);
}

def : OnnxImport<"Concat", [4, 11, 13], "importConcat", "not over the batch">;
