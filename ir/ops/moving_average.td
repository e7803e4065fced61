// The update of running statistics.
include "ir/PartyBase.td"

def Party_MovingAverageOp : Party_EffectOp<"moving_average", [
    DeclareOpInterfaceMethods<UpdateOpInterface, ["getUpdateKernel"]>]> {
  let summary = "state = rate * state + (1 - rate) * statistic";
  let arguments = (ins I64Attr:$first, I64Attr:$last, F64Attr:$rate);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}
