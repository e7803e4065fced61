// Sqrt and its gradient.
include "ir/PartyBase.td"

defm Party_Sqrt : Party_Unary<"sqrt", "the square root", "dx = dy / (2 y)", "Output">;

def : OnnxImport<"Sqrt", [6, 13], "importSqrt">;
