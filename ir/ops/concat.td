// Concatenation.
include "ir/PartyBase.td"

def Party_ConcatOp : Party_Op<"concat", [DeclareOpInterfaceMethods<ChannelsLastOpInterface>,
                                         DeclareOpInterfaceMethods<GradientOpInterface>,
                                         DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "The inputs one behind the other along dimension `axis`";
  let description = [{
    `axis` counts the dimensions as ONNX has them; with `channels_last` images lie in memory as NHWC all the same.
    Inputs that are `in_place` (party-fuse says so) have no memory of their own: they are made, and read, where they lie
    in the result. Only party.fused may make and read them.
  }];
  let arguments = (ins Variadic<Party_Float>:$inputs, I64Attr:$axis, UnitAttr:$channels_last,
                   OptionalAttr<DenseBoolArrayAttr>:$in_place);
  let results = (outs Party_Float:$result);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs, "int64_t":$axis, "bool":$channelsLast), [{
    build($_builder, $_state, inputs, axis, channelsLast, nullptr);
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimension as the tensors have it now.
    int64_t getStoredAxis();
    /// Whether input i is in place.
    bool isInPlace(unsigned i);
    /// Where along the axis an input that is in place lies; none where `value` is no such.
    std::optional<int64_t> placeOf(::mlir::Value value);
    /// Whether only party.fused makes and reads an input, but for this op, which takes it once.
    bool canBeInPlace(::mlir::Value input);
  }];
}

def : OnnxImport<"Concat", [4, 11, 13], "importConcat", "not over the batch">;
