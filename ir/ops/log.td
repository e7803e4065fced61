// Log and its gradient.
include "ir/PartyBase.td"

defm Party_Log : Party_Unary<"log", "the natural logarithm", "dx = dy / x", "Input">;

def : OnnxImport<"Log", [6, 13], "importLog">;
