// LeakyRelu and its gradient.
include "ir/PartyBase.td"

defm Party_LeakyRelu : Party_Unary<"leaky_relu", "x, or alpha x where it is negative", "dx = y > 0 ? dy : alpha dy",
                                   "Output", (ins F64Attr:$alpha)>;

def : OnnxImport<"LeakyRelu", [6, 16], "importLeakyRelu", "alpha is not negative">;
