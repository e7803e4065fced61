// Stochastic gradient descent.
include "ir/PartyBase.td"

def Party_SgdOp : Party_EffectOp<"sgd", [DeclareOpInterfaceMethods<UpdateOpInterface, ["getUpdateKernel"]>]> {
  let summary = "g += weight_decay * w; buffer = momentum * buffer + g; w -= learning rate * buffer (PyTorch's rule)";
  let description = [{The learning rate comes with the call. Without momentum there is no buffer.}];
  let arguments = (ins I64Attr:$first, I64Attr:$last, F64Attr:$momentum, F64Attr:$weight_decay);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
