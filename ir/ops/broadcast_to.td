// Broadcasting by itself.
include "ir/PartyBase.td"

def Party_BroadcastToOp : Party_TypedOp<"broadcast_to", [ElementwiseOpInterface,
                                                         DeclareOpInterfaceMethods<GradientOpInterface>,
                                                         DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary = "Repeats the input along the dimensions along which it broadcasts to the result type";
  let arguments = (ins Party_Float:$input);
  let results = (outs Party_Float:$result);
  let hasVerifier = 1;
}

def : OnnxImport<"Expand", [8, 13], "importExpand", "an initializer that is expanded to the batch is trained">;
