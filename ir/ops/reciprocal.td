// Reciprocal and its gradient.
include "ir/PartyBase.td"

defm Party_Reciprocal : Party_Unary<"reciprocal", "1 / x", "dx = -dy y^2", "Output">;

def : OnnxImport<"Reciprocal", [6, 13], "importReciprocal">;
