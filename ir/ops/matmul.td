// Matrix product with a weight: ONNX's Gemm and MatMul.
include "ir/PartyBase.td"

def Party_MatmulOp : Party_Op<"matmul", [DeclareOpInterfaceMethods<GradientOpInterface>,
                                         DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "input [..., K] times weight [K, N], plus bias [N]";
  let arguments = (ins Party_Float:$input, Party_Float:$weight, Optional<Party_Float>:$bias);
  let results = (outs Party_Float:$output);
  let hasCanonicalizer = 1;
}

def Party_MatmulInputGradientOp : Party_Op<"matmul_input_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "output_gradient [..., N] times the transposed weight";
  let arguments = (ins Party_Float:$output_gradient, Party_Float:$weight);
  let results = (outs Party_Float:$input_gradient);
}

def Party_MatmulWeightGradientOp : Party_Op<"matmul_weight_gradient", [
    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "The transposed input times output_gradient: [K, N]";
  let arguments = (ins Party_Float:$input, Party_Float:$output_gradient);
  let results = (outs Party_Float:$weight_gradient);
}

def : OnnxImport<"Gemm", [7, 9, 11, 13], "importGemm", "A is the batch: transA = 0">;
