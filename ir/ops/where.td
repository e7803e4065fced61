// Selection by a condition, and the comparisons that make one: 1 where it holds, 0 elsewhere.
include "ir/PartyBase.td"

def Party_WhereOp : Party_BroadcastOp<"where"> {
  let summary = "yes where the condition is not 0, no elsewhere, broadcast as in numpy";
  let arguments = (ins Party_Float:$condition, Party_Float:$yes, Party_Float:$no);
  let results = (outs Party_Float:$result);
}

class Party_Comparison<string mnemonic, string text> : Party_BroadcastOp<mnemonic> {
  let summary = text;
  let arguments = (ins Party_Float:$lhs, Party_Float:$rhs);
  let results = (outs Party_Float:$result);
}

def Party_GreaterOp : Party_Comparison<"greater", "1 where lhs > rhs, 0 elsewhere">;
def Party_GreaterOrEqualOp : Party_Comparison<"greater_or_equal", "1 where lhs >= rhs, 0 elsewhere">;
def Party_EqualOp : Party_Comparison<"equal", "1 where lhs == rhs, 0 elsewhere">;

defvar kConditionIsConstant = "constant but where it jumps";

def : OnnxImport<"Where", [9, 16], "importWhere", "the condition is constant or a comparison of float data">;
def : OnnxImport<"Greater", [7, 9, 13], "importGreater", "of float data", kConditionIsConstant>;
def : OnnxImport<"GreaterOrEqual", [12, 16], "importGreaterOrEqual", "of float data", kConditionIsConstant>;
def : OnnxImport<"Less", [7, 9, 13], "importLess", "of float data", kConditionIsConstant>;
def : OnnxImport<"LessOrEqual", [12, 16], "importLessOrEqual", "of float data", kConditionIsConstant>;
def : OnnxImport<"Equal", [7, 11, 13, 19], "importEqual", "of float data", kConditionIsConstant>;
