// A tensor of the weight arena.
include "ir/PartyBase.td"

def Party_ParameterOp : Party_TypedOp<"parameter"> {
  let summary = "A weight tensor by its ONNX name: a trained parameter, a state, or a constant";
  let description = [{
    `kind` is parameter, state or constant. The tensor lies in memory as its ONNX form reshaped to `view` and transposed by
    `permutation` (both absent: as in ONNX); the result type is the shape that its users see. `offset` is its first
    element in the weight arena, once that is laid out.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$kind, DenseI64ArrayAttr:$onnx_shape,
                   OptionalAttr<DenseI64ArrayAttr>:$view, OptionalAttr<DenseI64ArrayAttr>:$permutation, OptionalAttr<I64Attr>:$offset);
  let results = (outs Party_Float:$result);
  let assemblyFormat = "$name $kind attr-dict `:` type($result)";
  let hasVerifier = 1;
}
