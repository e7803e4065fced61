// Sigmoid and its gradient.
include "ir/PartyBase.td"

defm Party_Sigmoid : Party_Unary<"sigmoid", "1 / (1 + exp(-x))", "dx = dy y (1 - y)", "Output">;

def : OnnxImport<"Sigmoid", [6, 13], "importSigmoid">;
