// Transposition.
include "ir/PartyBase.td"

def Party_TransposeOp : Party_Op<"transpose", [DeclareOpInterfaceMethods<GradientOpInterface>,
                                               DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "Result dimension i is input dimension permutation[i]";
  let arguments = (ins Party_Float:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Party_Float:$result);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def : OnnxImport<"Transpose", [1, 13, 21], "importTranspose", "the batch must stay the first dimension, rank 5 at most">;
