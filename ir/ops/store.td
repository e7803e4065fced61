// Stores into the gradient arena.
include "ir/PartyBase.td"

class Party_StoreOp<string mnemonic, list<string> overridden = []>
    : Party_EffectOp<mnemonic, [DeclareOpInterfaceMethods<StoreOpInterface, overridden>,
                                DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]>;

def Party_StoreGradientOp : Party_StoreOp<"store_gradient"> {
  let summary = "Adds a value to the gradient of parameter `name`";
  let description = [{
    `in_place`: the op that makes the value writes it into the gradient arena by itself; nothing is left to do.
  }];
  let arguments = (ins Party_Float:$value, StrAttr:$name, OptionalAttr<I64Attr>:$offset, UnitAttr:$in_place);
}

def Party_StoreStatisticOp : Party_StoreOp<"store_statistic", ["getMovingAverageRate"]> {
  let summary = "Adds a statistic of the micro-batch, weighted by its share of the global batch, to the slot of state `name`";
  let description = [{
    `variance_of`: the value is the population variance of so many values a sample; the unbiased one is stored.
  }];
  let arguments = (ins Party_Float:$value, StrAttr:$name, F64Attr:$rate, OptionalAttr<I64Attr>:$offset,
                   OptionalAttr<I64Attr>:$variance_of);
  let hasVerifier = 1;
}
