// Products of matrices that both depend on the sample.
include "ir/PartyBase.td"

def Party_BatchMatmulOp : Party_Op<"batch_matmul", [DeclareOpInterfaceMethods<GradientOpInterface>,
                                    DeclareOpInterfaceMethods<KernelOpInterface, ["getCost"]>]> {
  let summary = "lhs [..., M, K] times rhs [..., K, N], matrix by matrix";
  let arguments = (ins Party_Float:$lhs, Party_Float:$rhs);
  let results = (outs Party_Float:$result);
}

def : OnnxImport<"MatMul", [1, 9, 13], "importMatMul", "both operands of rank 2 or more, whose matrices have no batch">;
