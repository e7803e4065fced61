// Dropout with counter-based masks.
include "ir/PartyBase.td"

def Party_DropoutOp : Party_Op<"dropout", [DeclareOpInterfaceMethods<GradientOpInterface>,
    DeclareOpInterfaceMethods<InferenceOpInterface>, DeclareOpInterfaceMethods<KernelOpInterface>,
    DeclareOpInterfaceMethods<ElementwiseOpInterface, ["getNumDataOperands"]>]> {
  let summary = "Zeroes elements with probability `ratio` and scales the others by 1 / (1 - ratio)";
  let description = [{
    The mask is a function of (seed, step, sample id, layer, element): the gradient applies the same op again, and any
    number of ranks sees the same masks. At evaluation nothing is dropped.
  }];
  let arguments = (ins Party_Float:$input, Party_Int:$sample_ids, F64Attr:$ratio, I64Attr:$layer);
  let results = (outs Party_Float:$output);
  let hasVerifier = 1;
}

def : OnnxImport<"Dropout", [7, 10, 12, 13, 22], "importDropout", "without the mask output">;
