// PRelu and its gradients.
include "ir/PartyBase.td"

def Party_PReluOp : Party_BroadcastOp<"prelu"> {
  let summary = "input, or slope * input where it is negative; the slope broadcasts to the input";
  let arguments = (ins Party_Float:$input, Party_Float:$slope);
  let results = (outs Party_Float:$result);
  let hasVerifier = 1;
}

def Party_PReluGradientOp : Party_BroadcastOpBase<"prelu_gradient"> {
  let summary = "dx = x > 0 ? dy : slope dy";
  let arguments = (ins Party_Float:$input, Party_Float:$slope, Party_Float:$output_gradient);
  let results = (outs Party_Float:$input_gradient);
}

def Party_PReluSlopeGradientOp : Party_BroadcastOpBase<"prelu_slope_gradient"> {
  let summary = "dslope = x > 0 ? 0 : x dy, before the sum over the elements that share a slope";
  let arguments = (ins Party_Float:$input, Party_Float:$output_gradient);
  let results = (outs Party_Float:$result);
}

def : OnnxImport<"PRelu", [7, 9, 16], "importPRelu">;
