// Multiplication with broadcasting.
include "ir/PartyBase.td"

def Party_MultiplyOp : Party_BroadcastOp<"multiply", [Commutative]> {
  let summary = "lhs * rhs, broadcast as in numpy";
  let arguments = (ins Party_Float:$lhs, Party_Float:$rhs);
  let results = (outs Party_Float:$result);
}

def : OnnxImport<"Mul", [7, 13, 14], "importMul">;
