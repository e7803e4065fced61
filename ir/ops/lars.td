// Layer-wise adaptive rate scaling.
include "ir/PartyBase.td"

def Party_LarsOp : Party_EffectOp<"lars", [DeclareOpInterfaceMethods<UpdateOpInterface, ["getUpdateKernel"]>]> {
  let summary = "SGD with a trust ratio per tensor (Y. You, I. Gitman, B. Ginsburg, 2017)";
  let description = [{
    g = ratio * (g + weight_decay * w); buffer = momentum * buffer + g; w -= learning rate * buffer, with
    ratio = trust * |w| / (|g| + weight_decay * |w|), 1 where a norm is 0. The norms are those of one tensor, the first
    `elements` of the range: an update must have all of the range.
  }];
  let arguments = (ins I64Attr:$first, I64Attr:$last, I64Attr:$elements, F64Attr:$momentum, F64Attr:$weight_decay,
                   F64Attr:$trust);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
