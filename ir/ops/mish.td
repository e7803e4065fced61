// Mish and its gradient.
include "ir/PartyBase.td"

defm Party_Mish : Party_Unary<"mish", "x tanh(log(1 + exp(x)))",
                              "dx = dy (t + x (1 - t^2) sigmoid(x)), t the hyperbolic tangent", "Input">;

def : OnnxImport<"Mish", [18, 22], "importMish">;
