// Addition with broadcasting.
include "ir/PartyBase.td"

def Party_AddOp : Party_BroadcastOp<"add", [Commutative]> {
  let summary = "lhs + rhs, broadcast as in numpy";
  let arguments = (ins Party_Float:$lhs, Party_Float:$rhs);
  let results = (outs Party_Float:$result);
}

def : OnnxImport<"Add", [7, 13, 14], "importAdd">;
def : OnnxImport<"Mean", [6, 8, 13], "importMean">;
def : OnnxImport<"Sum", [6, 8, 13], "importSum">;
