// Maximum and minimum with broadcasting, and their gradient.
include "ir/PartyBase.td"

def Party_MaximumOp : Party_BroadcastOp<"maximum", [Commutative]> {
  let summary = "The larger of lhs and rhs, broadcast as in numpy";
  let arguments = (ins Party_Float:$lhs, Party_Float:$rhs);
  let results = (outs Party_Float:$result);
}

def Party_MinimumOp : Party_BroadcastOp<"minimum", [Commutative]> {
  let summary = "The smaller of lhs and rhs, broadcast as in numpy";
  let arguments = (ins Party_Float:$lhs, Party_Float:$rhs);
  let results = (outs Party_Float:$result);
}

// As in PyTorch's maximum and minimum, two equal operands have half of the gradient each.
def Party_ExtremumGradientOp : Party_BroadcastOpBase<"extremum_gradient"> {
  let summary = "output_gradient where greater > less, half of it where they are equal, 0 elsewhere";
  let arguments = (ins Party_Float:$greater, Party_Float:$less, Party_Float:$output_gradient);
  let results = (outs Party_Float:$result);
}

def : OnnxImport<"Max", [6, 8, 12, 13], "importMax", "equal operands share the gradient">;
def : OnnxImport<"Min", [6, 8, 12, 13], "importMin", "equal operands share the gradient">;
