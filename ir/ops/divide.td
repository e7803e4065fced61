// Division with broadcasting.
include "ir/PartyBase.td"

def Party_DivideOp : Party_BroadcastOp<"divide"> {
  let summary = "lhs / rhs, broadcast as in numpy";
  let arguments = (ins Party_Float:$lhs, Party_Float:$rhs);
  let results = (outs Party_Float:$result);
}

def : OnnxImport<"Div", [7, 13, 14], "importDiv">;
