// HardSwish and its gradient.
include "ir/PartyBase.td"

defm Party_HardSwish : Party_Unary<"hard_swish", "x min(max(x / 6 + 1/2, 0), 1)",
                                   "dx = x <= -3 ? 0 : x < 3 ? dy (x / 3 + 1/2) : dy", "Input">;

def : OnnxImport<"HardSwish", [14, 22], "importHardSwish">;
