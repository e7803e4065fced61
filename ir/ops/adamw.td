// Adam with decoupled weight decay.
include "ir/PartyBase.td"

def Party_AdamwOp : Party_EffectOp<"adamw", [DeclareOpInterfaceMethods<UpdateOpInterface, ["getUpdateKernel"]>]> {
  let summary = "Adam with decoupled weight decay (I. Loshchilov, F. Hutter, 2019; PyTorch's AdamW)";
  let description = [{
    w -= learning rate * weight_decay * w; m += (1 - beta1) * (g - m); v = beta2 * v + (1 - beta2) * g * g;
    w -= learning rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon), t = 1 in the first step.
    The learning rate and the step come with the call; m and v are the optimizer's slots.
  }];
  let arguments = (ins I64Attr:$first, I64Attr:$last, F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon,
                   F64Attr:$weight_decay);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
