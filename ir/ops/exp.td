// Exp and its gradient.
include "ir/PartyBase.td"

defm Party_Exp : Party_Unary<"exp", "exp(x)", "dx = dy y", "Output">;

def : OnnxImport<"Exp", [6, 13], "importExp">;
