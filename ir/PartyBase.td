//===- PartyBase.td - the party dialect: its base classes -----------------===//
//
// The dialect holds a training step of a neural network. An op is imported with ONNX semantics (NCHW, batch first),
// the passes turn it channels-last, derive its gradient and give it a kernel. What a pass needs to know of an op stands
// behind an interface (PartyInterfaces.td); no pass names an op.
//
// One operator = ir/ops/NAME.td + ir/ops/NAME.cpp + codegen/kernels/NAME.cpp; CMake collects these files, so a new operator
// edits no list. Its reference and its cases stand with their family in tests/ops, where a test fails while they are missing.
//
//===----------------------------------------------------------------------===//
#ifndef PARTY_BASE
#define PARTY_BASE

include "ir/PartyInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Party_Dialect : Dialect {
  let name = "party";
  let cppNamespace = "::partyline::party";
  let summary = "The training step of a neural network";
  let description = [{
    Values are ranked tensors. Dimension 0 is the batch where it is dynamic; all others are static. float32 holds data,
    int32 labels and sample ids, unsigned integers the positions that max-pooling remembers.
  }];
}

def Party_BatchFirst : CPred<"::partyline::isBatchFirst(::llvm::cast<::mlir::RankedTensorType>($_self))">;
class Party_Tensor<list<Type> elements>
    : RankedTensorOf<elements, [Party_BatchFirst], "ranked tensor (no extent 0, only the first dynamic)">;
def Party_Float : Party_Tensor<[F32]>;
def Party_Int : Party_Tensor<[I32]>;
def Party_Index : Party_Tensor<[UI8, UI16]>;

class Party_OpBase<string mnemonic, list<Trait> traits> : Op<Party_Dialect, mnemonic, traits> {
  let cppNamespace = "::partyline::party";
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

/// An op that computes tensors: free of side effects, its result types follow from operands and attributes.
class Party_Op<string mnemonic, list<Trait> traits = []>
    : Party_OpBase<mnemonic, !listconcat([Pure, InferTypeOpAdaptor], traits)>;

/// An op that computes a tensor whose type must be given.
class Party_TypedOp<string mnemonic, list<Trait> traits = []> : Party_OpBase<mnemonic, !listconcat([Pure], traits)>;

/// An op from tensors to one tensor, all of the same type.
class Party_SameTypeOp<string mnemonic, list<Trait> traits = []>
    : Party_OpBase<mnemonic, !listconcat([Pure, SameOperandsAndResultType], traits)>;

/// An op over tensors that broadcast as in numpy, with a kernel family of its own name.
class Party_BroadcastOpBase<string mnemonic, list<Trait> traits = []>
    : Party_Op<mnemonic, !listconcat([ElementwiseOpInterface, FusibleOpInterface,
                                      DeclareOpInterfaceMethods<KernelOpInterface>], traits)> {
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> location,
                                                      Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::partyline::inferBroadcastType(location, adaptor.getOperands(), types);
    }

    ::llvm::SmallVector<::partyline::KernelCall> $cppClass::getKernelCalls() {
      return {::partyline::broadcastKernel(getOperation())};
    }
  }];
}

/// One that has a gradient.
class Party_BroadcastOp<string mnemonic, list<Trait> traits = []>
    : Party_BroadcastOpBase<mnemonic, !listconcat([DeclareOpInterfaceMethods<GradientOpInterface>], traits)>;

/// y = f(x), element by element, and its gradient from x or y: `from` is "Input" or "Output", where possible the output,
/// which the next op needs anyway. Each has a kernel family of its own name, which takes the attributes, all of them
/// numbers, as scalars in the order of their names.
multiclass Party_Unary<string mnemonic, string value, string derivative, string from, dag attributes = (ins)> {
  def Op : Party_SameTypeOp<mnemonic, [ElementwiseOpInterface, FusibleOpInterface,
                                       DeclareOpInterfaceMethods<GradientOpInterface>,
                                       DeclareOpInterfaceMethods<KernelOpInterface>]> {
    let summary = value;
    let arguments = !con((ins Party_Float:$input), attributes);
    let results = (outs Party_Float:$output);
    let extraClassDefinition = [{
      ::llvm::SmallVector<::mlir::Value> $cppClass::buildGradient(::mlir::OpBuilder &builder,
                                                                  ::mlir::ValueRange gradients) {
        return {::partyline::unaryGradient(builder, *this, get}] # from # [{(), gradients[0])};
      }

      ::llvm::SmallVector<::partyline::KernelCall> $cppClass::getKernelCalls() {
        return {::partyline::unaryKernel(*this)};
      }
    }];
  }

  def GradientOp : Party_SameTypeOp<mnemonic # "_gradient", [ElementwiseOpInterface, FusibleOpInterface,
                                                             DeclareOpInterfaceMethods<KernelOpInterface>]> {
    let summary = derivative;
    let arguments = !con((ins Party_Float:$from, Party_Float:$output_gradient), attributes);
    let results = (outs Party_Float:$input_gradient);
    let extraClassDefinition = [{
      ::llvm::SmallVector<::partyline::KernelCall> $cppClass::getKernelCalls() {
        return {::partyline::unaryKernel(*this)};
      }
    }];
  }
}

/// An op with an effect outside the tensors: it stores into the gradient arena or updates the weights.
class Party_EffectOp<string mnemonic, list<Trait> traits = []> : Party_OpBase<mnemonic, traits>;

/// How an ONNX operator becomes party ops: the importer's table and `partyline ops` are made of these records.
class OnnxImport<string op, list<int> versions, string function, string limit = "", string without = ""> {
  string onnxOp = op;
  list<int> sinceVersions = versions; ///< the since-versions of the operator that the function understands
  string importFunction = function;   ///< partyline::party::FUNCTION(OnnxNodeImporter &), in the op's .cpp
  string limits = limit;              ///< what is not supported, for people
  string noGradient = without;        ///< why there is no gradient; empty: there is one
}

#endif // PARTY_BASE
