// Softplus and its gradient.
include "ir/PartyBase.td"

defm Party_Softplus : Party_Unary<"softplus", "log(1 + exp(x))", "dx = dy (1 - exp(-y))", "Output">;

def : OnnxImport<"Softplus", [1, 22], "importSoftplus">;
