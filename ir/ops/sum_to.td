// The sum that undoes a broadcast.
include "ir/PartyBase.td"

def Party_SumToOp : Party_TypedOp<"sum_to", [DeclareOpInterfaceMethods<GradientOpInterface>,
                                           DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "Sums over the dimensions along which the result type would be broadcast to the input";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$result);
  let hasVerifier = 1;
}

def : OnnxImport<"ReduceSum", [1, 11, 13], "importReduceSum", "not over the batch">;
def : OnnxImport<"ReduceMean", [1, 11, 13, 18], "importReduceMean", "not over the batch">;
