// The sum that undoes a broadcast.
include "ir/PartyBase.td"

def Party_SumToOp : Party_TypedOp<"sum_to", [DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "Sums over the dimensions along which the result type would be broadcast to the input";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$result);
  let hasVerifier = 1;
}
