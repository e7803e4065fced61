// Erf and its gradient.
include "ir/PartyBase.td"

defm Party_Erf : Party_Unary<"erf", "the error function", "dx = dy 2 / sqrt(pi) exp(-x^2)", "Input">;

def : OnnxImport<"Erf", [9, 13], "importErf">;
