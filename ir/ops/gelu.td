// Gelu and its gradient.
include "ir/PartyBase.td"

defm Party_Gelu : Party_Unary<"gelu", "x Phi(x), Phi the distribution function of the normal distribution",
                              "dx = dy (Phi(x) + x phi(x)), phi its density", "Input">;
defm Party_GeluTanh : Party_Unary<"gelu_tanh", "x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))",
                                  "dx = dy times the derivative of that", "Input">;

def : OnnxImport<"Gelu", [20], "importGelu">;
