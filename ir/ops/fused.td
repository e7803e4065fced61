// Elementwise ops of which one kernel is made.
include "ir/PartyBase.td"

def Party_FusedOp : Party_OpBase<"fused", [Pure, IsolatedFromAbove, DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "Ops that work element by element, in one kernel";
  let description = [{
    The body's arguments are the operands: tensors of one shape, channels last, and vectors with an element per channel.
    Its ops are FusibleOpInterface; party.yield returns the results of the last one. party-fuse makes these.
  }];
  let arguments = (ins Variadic<Party_Float>:$operands);
  let results = (outs Variadic<Party_Float>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results) $body";
  let hasVerifier = 1;
}

def Party_YieldOp : Party_OpBase<"yield", [Pure, Terminator]> {
  let summary = "Ends the body of party.fused with its results";
  let arguments = (ins Variadic<Party_Float>:$values);
  let assemblyFormat = "operands attr-dict `:` type(operands)";
}
