// Relu and its gradient.
include "ir/PartyBase.td"

defm Party_Relu : Party_Unary<"relu", "max(x, 0)", "dx = y > 0 ? dy : 0", "Output">;

def : OnnxImport<"Relu", [6, 13, 14], "importRelu">;
