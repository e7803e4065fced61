// Clip and its gradient.
include "ir/PartyBase.td"

// At a bound the gradient is 0, as of PyTorch's hardtanh and relu6.
let hasVerifier = 1 in
defm Party_Clip : Party_Unary<"clip", "min(max(x, minimum), maximum)", "dx = minimum < y and y < maximum ? dy : 0",
                              "Output", (ins F64Attr:$minimum, F64Attr:$maximum)>;

def : OnnxImport<"Clip", [6, 11, 12, 13], "importClip", "constant bounds">;
