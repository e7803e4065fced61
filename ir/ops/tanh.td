// Tanh and its gradient.
include "ir/PartyBase.td"

defm Party_Tanh : Party_Unary<"tanh", "tanh(x)", "dx = dy (1 - y^2)", "Output">;

def : OnnxImport<"Tanh", [6, 13], "importTanh">;
