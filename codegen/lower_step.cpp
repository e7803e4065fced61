//===- codegen/lower_step.cpp - party IR becomes a StepProgram ------------===//
#include "codegen/lower_step.h"

#include "passes/liveness.h"
#include "passes/passes.h"
#include "runtime/shared/step_abi.h"

#include <set>
#include <utility>

using namespace mlir;

namespace partyline::codegen {

static int64_t aligned(int64_t bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

static int64_t moduleInt(ModuleOp module, StringRef name) { return module->getAttrOfType<IntegerAttr>(name).getInt(); }

ArenaSections arenaSections(ModuleOp module) {
  ArenaSections sections;
  int64_t gradientBytes = aligned(moduleInt(module, kGradientElements) * int64_t(sizeof(float)));
  int64_t next = aligned(moduleInt(module, kWeightElements) * int64_t(sizeof(float)));
  sections.gradients = next;
  next += gradientBytes;
  for (size_t slot = 0; slot < module->getAttrOfType<ArrayAttr>(kOptimizerSlots).size(); ++slot) {
    sections.optimizer.push_back(next);
    next += gradientBytes;
  }
  sections.activations = next;
  sections.total = next + aligned(moduleInt(module, kActivationBytes));
  return sections;
}

int64_t placeOf(Value value, const ArenaSections &sections) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto offsets = argument.getOwner()->getParentOp()->getAttrOfType<DenseI64ArrayAttr>(kOffsets);
    return sections.activations + offsets[argument.getArgNumber()];
  }
  Operation *op = value.getDefiningOp();
  if (auto parameter = dyn_cast<party::ParameterOp>(op))
    return sections.weights + int64_t(*parameter.getOffset() * sizeof(float));
  if (isa<party::ViewOpInterface>(op))
    return placeOf(op->getOperand(0), sections);
  if (party::StoreGradientOp store = inPlaceStore(value))
    return sections.gradients + int64_t(*store.getOffset() * sizeof(float));
  return sections.activations + op->getAttrOfType<DenseI64ArrayAttr>(kOffsets)[cast<OpResult>(value).getResultNumber()];
}

static ElementType elementType(Value value) {
  Type type = cast<RankedTensorType>(value.getType()).getElementType();
  if (type.isF32())
    return ElementType::float32;
  if (type.isInteger(32))
    return ElementType::int32;
  return type.isInteger(8) ? ElementType::uint8 : ElementType::uint16;
}

// The bytes of a buffer, split by whether they grow with the samples. A dimension of stride 0 repeats what is there.
static void addBytes(StepWork &work, const KernelBuffer &buffer, int64_t count, bool isWritten) {
  double fixed = double(byteSize(buffer.type)), perSample = 0;
  for (const BufferDimension &dimension : buffer.dimensions) {
    if (dimension.stride == 0)
      continue;
    const double extent = double(dimension.perCount ? count : dimension.fixed);
    perSample = perSample * extent + fixed * double(dimension.perSample);
    fixed *= extent;
  }
  work.bytes += fixed;
  work.bytesPerSample += perSample;
  if (isWritten) {
    work.written += fixed;
    work.writtenPerSample += perSample;
  }
}

static StepOperation lowerCall(Operation *op, const KernelCall &call, const ArenaSections &sections) {
  StepOperation operation;
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    operation.name = name.getName().str();
  operation.kernel = call.kernel;
  operation.scalars.assign(call.scalars.begin(), call.scalars.end());
  // Only what lies in the gradient arena is added to; a buffer among the activations holds garbage.
  bool inGradientArena = op->getNumResults() == 0 || inPlaceStore(op->getResult(0));
  for (KernelScalar &scalar : operation.scalars)
    if (scalar.source == KernelScalar::Source::accumulate && !inGradientArena)
      scalar = constantInt(0);
  bool metGradient = false; // inputs come first: what is added to is read, then written
  for (const KernelArgument &argument : call.arguments) {
    KernelBuffer buffer;
    bool isWritten;
    buffer.dimensions.assign(argument.dimensions.begin(), argument.dimensions.end());
    if (argument.value) {
      buffer.type = elementType(argument.value);
      buffer.offset = placeOf(argument.value, sections) + argument.firstElement * byteSize(buffer.type);
      isWritten = argument.value.getDefiningOp() == op;
    } else {
      buffer.offset = sections.gradients + argument.gradientElement * int64_t(sizeof(float));
      isWritten = std::exchange(metGradient, true);
    }
    addBytes(operation.work, buffer, 0, isWritten);
    operation.buffers.push_back(std::move(buffer));
  }
  return operation;
}

static std::vector<StepOperation> lowerPhase(func::FuncOp function, const ArenaSections &sections,
                                             std::map<int64_t, int64_t> *readyAfter) {
  std::vector<StepOperation> operations;
  for (Operation &op : function.getBody().front()) {
    if (auto kernelOp = dyn_cast<party::KernelOpInterface>(op)) {
      const SmallVector<KernelCall> calls = kernelOp.getKernelCalls();
      const OpCost cost = kernelOp.getCost();
      for (const KernelCall &call : calls) {
        operations.push_back(lowerCall(&op, call, sections));
        // Several calls of an op do like parts of it.
        operations.back().work.operations = cost.fixed / double(calls.size());
        operations.back().work.operationsPerSample = cost.perSample / double(calls.size());
      }
    }
    if (readyAfter && isa<party::StoreOpInterface>(op))
      (*readyAfter)[op.getAttrOfType<IntegerAttr>("offset").getInt()] = int64_t(operations.size()) - 1;
  }
  return operations;
}

static UpdateOperation lowerUpdate(party::UpdateOpInterface op, const ArenaSections &sections) {
  UpdateKernelCall call = op.getUpdateKernel();
  UpdateOperation update;
  update.first = op.getRangeFirst();
  update.last = op.getRangeLast();
  update.operation.name = op->getName().getStringRef().str();
  update.operation.kernel = call.kernel;
  update.operation.scalars.assign(call.scalars.begin(), call.scalars.end());
  std::set<int> met; // inputs come first: a slot that comes again is an output
  for (int slot : call.slots) {
    KernelBuffer buffer;
    buffer.followsRange = true;
    buffer.offset = slot == UpdateKernelCall::gradient ? sections.gradients
                    : slot == UpdateKernelCall::weight ? sections.weights
                                                       : sections.optimizer[slot];
    BufferDimension dimension;
    dimension.perCount = true;
    buffer.dimensions = {dimension};
    addBytes(update.operation.work, buffer, update.last - update.first, !met.insert(slot).second);
    update.operation.buffers.push_back(buffer);
  }
  return update;
}

LoweredStep lowerStep(ModuleOp module, const ArenaSections &sections) {
  LoweredStep step;
  step.program.forwardBackward =
      lowerPhase(phaseFunction(module, kForwardBackwardFunction), sections, &step.readyAfter);
  step.program.evaluate = lowerPhase(phaseFunction(module, kEvaluateFunction), sections, nullptr);
  for (auto op : phaseFunction(module, kUpdateFunction).getOps<party::UpdateOpInterface>())
    step.program.updates.push_back(lowerUpdate(op, sections));
  return step;
}

} // namespace partyline::codegen
