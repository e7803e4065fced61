// Subtraction with broadcasting.
include "ir/PartyBase.td"

def Party_SubtractOp : Party_BroadcastOp<"subtract"> {
  let summary = "lhs - rhs, broadcast as in numpy";
  let arguments = (ins Party_Float:$lhs, Party_Float:$rhs);
  let results = (outs Party_Float:$result);
}

def Party_NegateSumOp : Party_TypedOp<"negate_sum", [DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "-sum over the dimensions that were broadcast: the gradient of a subtraction's second operand";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$result);
  let hasVerifier = 1;
}

def : OnnxImport<"Sub", [7, 13, 14], "importSub">;
