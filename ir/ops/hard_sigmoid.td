// HardSigmoid and its gradient.
include "ir/PartyBase.td"

defm Party_HardSigmoid : Party_Unary<"hard_sigmoid", "min(max(alpha x + beta, 0), 1)",
                                     "dx = 0 < y and y < 1 ? alpha dy : 0", "Output",
                                     (ins F64Attr:$alpha, F64Attr:$beta)>;

def : OnnxImport<"HardSigmoid", [6, 22], "importHardSigmoid">;
