// Softsign and its gradient.
include "ir/PartyBase.td"

defm Party_Softsign : Party_Unary<"softsign", "x / (1 + |x|)", "dx = dy / (1 + |x|)^2; 1 - |y| would lose digits",
                                  "Input">;

def : OnnxImport<"Softsign", [1, 22], "importSoftsign">;
