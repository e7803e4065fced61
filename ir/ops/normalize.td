// What LayerNormalization, InstanceNormalization and GroupNormalization share.
include "ir/PartyBase.td"

def Party_NormalizeOp : Party_SameTypeOp<"normalize", [DeclareOpInterfaceMethods<GradientOpInterface>,
                                         DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "(x - mean) / sqrt(variance + epsilon), both taken over the last `dimensions` dimensions";
  let description = [{The variance is the population's, as ONNX says.}];
  let arguments = (ins Party_Float:$input, I64Attr:$dimensions, F64Attr:$epsilon);
  let results = (outs Party_Float:$output);
  let hasVerifier = 1;
}

def Party_NormalizeGradientOp : Party_SameTypeOp<"normalize_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "dx = (dy - mean(dy) - y mean(dy y)) / sqrt(variance + epsilon); y is computed again";
  let arguments = (ins Party_Float:$input, Party_Float:$output_gradient, I64Attr:$dimensions, F64Attr:$epsilon);
  let results = (outs Party_Float:$input_gradient);
  let hasVerifier = 1;
}

def : OnnxImport<"LayerNormalization", [17], "importLayerNormalization", "not over the batch; the first output alone">;
def : OnnxImport<"InstanceNormalization", [1, 6], "importInstanceNormalization">;
def : OnnxImport<"GroupNormalization", [18, 21], "importGroupNormalization">;
