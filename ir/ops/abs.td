// Abs and its gradient.
include "ir/PartyBase.td"

defm Party_Abs : Party_Unary<"abs", "|x|", "dx = x > 0 ? dy : x < 0 ? -dy : 0", "Input">;

def : OnnxImport<"Abs", [6, 13], "importAbs">;
