// Elu and its gradient.
include "ir/PartyBase.td"

defm Party_Elu : Party_Unary<"elu", "x, or alpha (exp(x) - 1) where it is negative", "dx = y > 0 ? dy : (y + alpha) dy",
                             "Output", (ins F64Attr:$alpha)>;

def : OnnxImport<"Elu", [6, 22], "importElu", "alpha is not negative">;
