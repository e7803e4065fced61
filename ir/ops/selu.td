// Selu and its gradient.
include "ir/PartyBase.td"

defm Party_Selu : Party_Unary<"selu", "gamma x, or gamma alpha (exp(x) - 1) where it is negative",
                              "dx = y > 0 ? gamma dy : (y + gamma alpha) dy", "Output",
                              (ins F64Attr:$alpha, F64Attr:$gamma)>;

def : OnnxImport<"Selu", [6, 22], "importSelu", "alpha and gamma are not negative">;
