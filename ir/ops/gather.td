// Gather: made of slices.
include "ir/PartyBase.td"

def : OnnxImport<"Gather", [1, 11, 13], "importGather", "constant indices, not over the batch">;
