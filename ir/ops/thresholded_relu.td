// ThresholdedRelu and its gradient.
include "ir/PartyBase.td"

defm Party_ThresholdedRelu : Party_Unary<"thresholded_relu", "x > alpha ? x : 0", "dx = x > alpha ? dy : 0", "Input",
                                         (ins F64Attr:$alpha)>;

def : OnnxImport<"ThresholdedRelu", [10, 22], "importThresholdedRelu">;
