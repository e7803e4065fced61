// Reshape and its ONNX relatives: another view of the same memory.
include "ir/PartyBase.td"

def Party_ReshapeOp : Party_TypedOp<"reshape", [ViewOpInterface, DeclareOpInterfaceMethods<GradientOpInterface>]> {
  let summary = "The same elements in the same order under another shape";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def : OnnxImport<"Reshape", [5, 13, 14, 19, 21], "importReshape", "the batch must stay the first dimension, or go there again before anything is computed">;
def : OnnxImport<"Flatten", [1, 9, 11, 13, 21], "importFlatten", "axis 1">;
def : OnnxImport<"Squeeze", [1, 11, 13, 21], "importSqueeze", "not the batch">;
def : OnnxImport<"Unsqueeze", [1, 11, 13, 21], "importUnsqueeze", "not before the batch">;
def : OnnxImport<"Identity", [1, 13, 14, 16, 19, 21], "importIdentity">;
