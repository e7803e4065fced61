//===- codegen/adaptor_builder.cpp - from a StepCall to a kernel call -----===//

#include "codegen/adaptor_builder.h"

#include "codegen/kernel_library.h"
#include "runtime/shared/error.h"
#include "runtime/shared/step_abi.h"

#include <cstring>
#include <limits>
#include <sstream>

namespace partyline::codegen {

using namespace mlir;

namespace {

/// Fields of StepCall, in order.
enum CallField { kArena, kFirst, kCount, kSamples, kAccumulate, kScale, kSampleWeight, kLearningRate, kSeed, kStep };
static_assert(offsetof(StepCall, arena) == 0 && offsetof(StepCall, first) == 8 && offsetof(StepCall, count) == 16 &&
              offsetof(StepCall, samples) == 24 && offsetof(StepCall, accumulate) == 28 &&
              offsetof(StepCall, scale) == 32 && offsetof(StepCall, sampleWeight) == 36 &&
              offsetof(StepCall, learningRate) == 40 && offsetof(StepCall, seed) == 44 &&
              offsetof(StepCall, step) == 48);

/// Fields of halide_buffer_t that hold something other than zero.
enum BufferField { kDevice, kInterface, kHost, kFlags, kType, kDimensions, kDim, kPadding };

/// halide_type_t's {code, bits}.
std::pair<int64_t, int64_t> halideCodeAndBits(ElementType type) {
  constexpr int64_t kInt = 0, kUInt = 1, kFloat = 2;
  switch (type) {
  case ElementType::float32:
    return {kFloat, 32};
  case ElementType::int32:
    return {kInt, 32};
  case ElementType::uint8:
    return {kUInt, 8};
  case ElementType::uint16:
    return {kUInt, 16};
  }
  llvm_unreachable("unknown element type");
}

/// All that an adaptor depends on, as text: operations with equal text share an adaptor.
std::string describe(const StepOperation &operation) {
  std::ostringstream text;
  text << kernelSymbol(operation.kernel);
  for (const KernelScalar &scalar : operation.scalars) {
    uint64_t bits;
    std::memcpy(&bits, &scalar.value, sizeof bits);
    text << " s" << static_cast<int>(scalar.source) << ':' << bits;
  }
  for (const KernelBuffer &buffer : operation.buffers) {
    text << " b" << buffer.offset << ':' << buffer.followsRange << ':' << static_cast<int>(buffer.type);
    for (const BufferDimension &dimension : buffer.dimensions)
      text << ',' << dimension.perSample << ':' << dimension.fixed << ':' << dimension.stride << ':'
           << dimension.perCount;
  }
  return text.str();
}

void checkBuffers(const StepOperation &operation) {
  auto fits = [](int64_t value) { return value >= 0 && value <= std::numeric_limits<int32_t>::max(); };
  for (const KernelBuffer &buffer : operation.buffers) {
    if (buffer.offset < 0 || buffer.offset % byteSize(buffer.type) != 0)
      throw runError("internal error: node '" + operation.name + "': a buffer at offset " +
                     std::to_string(buffer.offset) + " is not aligned to its elements");
    for (const BufferDimension &dimension : buffer.dimensions)
      if (!fits(dimension.perSample) || !fits(dimension.fixed) || !fits(dimension.stride))
        throw cannotError("node '" + operation.name +
                          "': a tensor has an extent or a stride beyond 2^31 - 1 elements, which kernels cannot "
                          "address; use a smaller micro-batch or a smaller model");
  }
}

} // namespace

StepTypes::StepTypes(MLIRContext &context)
    : i8(IntegerType::get(&context, 8)), i16(IntegerType::get(&context, 16)), i32(IntegerType::get(&context, 32)),
      i64(IntegerType::get(&context, 64)), f32(Float32Type::get(&context)), f64(Float64Type::get(&context)),
      pointer(LLVM::LLVMPointerType::get(&context)) {
  auto structure = [&](llvm::ArrayRef<Type> fields) { return LLVM::LLVMStructType::getLiteral(&context, fields); };
  stepCall = structure({pointer, i64, i64, i32, i32, f32, f32, f32, i32, i32, i32});
  stepOp = structure({pointer, pointer, pointer, f64, f64, f64, f64, f64, f64}); // StepWork lies as its fields do
  stepUpdate = structure({i64, i64, stepOp});
  stepLibrary = structure({i32, i32, pointer, pointer, i64, pointer, i64, pointer, i64});
  halideType = structure({i8, i8, i16});
  halideDimension = structure({i32, i32, i32, i32});
  halideBuffer = structure({i64, pointer, pointer, i64, halideType, i32, pointer, pointer});
}

Value AdaptorBuilder::integer(Type type, int64_t value) {
  return builder.create<LLVM::ConstantOp>(location, type, builder.getIntegerAttr(type, value));
}

Value AdaptorBuilder::stackSlot(Type type, int64_t count) {
  return builder.create<LLVM::AllocaOp>(location, types.pointer, type, integer(types.i64, count));
}

Value AdaptorBuilder::fieldAddress(Type type, Value base, llvm::ArrayRef<LLVM::GEPArg> path) {
  return builder.create<LLVM::GEPOp>(location, types.pointer, type, base, path, /*inbounds=*/true);
}

void AdaptorBuilder::storeField(Type type, Value base, llvm::ArrayRef<LLVM::GEPArg> path, Value value) {
  builder.create<LLVM::StoreOp>(location, value, fieldAddress(type, base, path));
}

Value AdaptorBuilder::loadCallField(int32_t field) {
  Value &value = callFields[field];
  if (!value) {
    Type type = cast<LLVM::LLVMStructType>(types.stepCall).getBody()[field];
    value = builder.create<LLVM::LoadOp>(location, type, fieldAddress(types.stepCall, call, {0, field}));
  }
  return value;
}

Value AdaptorBuilder::emitScalar(const KernelScalar &scalar) {
  switch (scalar.source) {
  case KernelScalar::Source::constantFloat:
    return builder.create<LLVM::ConstantOp>(location, types.f32,
                                            builder.getF32FloatAttr(static_cast<float>(scalar.value)));
  case KernelScalar::Source::constantInt:
    // Signed and unsigned 32-bit arguments alike: what counts are the bits.
    return integer(types.i32, static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(scalar.value))));
  case KernelScalar::Source::accumulate:
    return loadCallField(kAccumulate);
  case KernelScalar::Source::scale:
    return loadCallField(kScale);
  case KernelScalar::Source::sampleWeight:
    return loadCallField(kSampleWeight);
  case KernelScalar::Source::unbiasedWeight:
    return emitUnbiasedWeight(static_cast<int64_t>(scalar.value));
  case KernelScalar::Source::learningRate:
    return loadCallField(kLearningRate);
  case KernelScalar::Source::seed:
    return loadCallField(kSeed);
  case KernelScalar::Source::step:
    return loadCallField(kStep);
  }
  llvm_unreachable("unknown scalar source");
}

// sampleWeight * m / (m - 1); one value alone has the variance 0, and keeps it.
Value AdaptorBuilder::emitUnbiasedWeight(int64_t valuesPerSample) {
  Value samples = builder.create<LLVM::SExtOp>(location, types.i64, loadCallField(kSamples));
  Value values = builder.create<LLVM::MulOp>(location, samples, integer(types.i64, valuesPerSample));
  Value one = integer(types.i64, 1);
  Value others = builder.create<LLVM::SMaxOp>(location, builder.create<LLVM::SubOp>(location, values, one), one);
  Value factor = builder.create<LLVM::FDivOp>(location, builder.create<LLVM::SIToFPOp>(location, types.f32, values),
                                              builder.create<LLVM::SIToFPOp>(location, types.f32, others));
  return builder.create<LLVM::FMulOp>(location, loadCallField(kSampleWeight), factor);
}

Value AdaptorBuilder::emitExtent(const BufferDimension &dimension) {
  if (dimension.perCount)
    return builder.create<LLVM::TruncOp>(location, types.i32, loadCallField(kCount));
  if (dimension.perSample == 0)
    return integer(types.i32, dimension.fixed);
  Value extent = loadCallField(kSamples);
  if (dimension.perSample != 1)
    extent = builder.create<LLVM::MulOp>(location, extent, integer(types.i32, dimension.perSample));
  if (dimension.fixed != 0)
    extent = builder.create<LLVM::AddOp>(location, extent, integer(types.i32, dimension.fixed));
  return extent;
}

Value AdaptorBuilder::emitHost(const KernelBuffer &buffer) {
  Value offset = integer(types.i64, buffer.offset);
  if (buffer.followsRange) {
    Value skipped =
        builder.create<LLVM::MulOp>(location, loadCallField(kFirst), integer(types.i64, byteSize(buffer.type)));
    offset = builder.create<LLVM::AddOp>(location, offset, skipped);
  }
  return fieldAddress(types.i8, loadCallField(kArena), {LLVM::GEPArg(offset)});
}

Value AdaptorBuilder::emitBuffer(const KernelBuffer &buffer) {
  int32_t rank = static_cast<int32_t>(buffer.dimensions.size());
  Value dimensions = rank > 0 ? stackSlot(types.halideDimension, rank)
                              : builder.create<LLVM::ZeroOp>(location, types.pointer).getResult();
  Value zero = integer(types.i32, 0);
  for (int32_t i = 0; i < rank; ++i) {
    const BufferDimension &dimension = buffer.dimensions[i];
    Value fields[] = {zero, emitExtent(dimension), integer(types.i32, dimension.stride), zero};
    for (int32_t field = 0; field < 4; ++field)
      storeField(types.halideDimension, dimensions, {i, field}, fields[field]);
  }
  Value result = stackSlot(types.halideBuffer, 1);
  Value null = builder.create<LLVM::ZeroOp>(location, types.pointer);
  auto [code, bits] = halideCodeAndBits(buffer.type);
  storeField(types.halideBuffer, result, {0, kDevice}, integer(types.i64, 0));
  storeField(types.halideBuffer, result, {0, kInterface}, null);
  storeField(types.halideBuffer, result, {0, kHost}, emitHost(buffer));
  storeField(types.halideBuffer, result, {0, kFlags}, integer(types.i64, 0));
  storeField(types.halideBuffer, result, {0, kType, 0}, integer(types.i8, code));
  storeField(types.halideBuffer, result, {0, kType, 1}, integer(types.i8, bits));
  storeField(types.halideBuffer, result, {0, kType, 2}, integer(types.i16, 1));
  storeField(types.halideBuffer, result, {0, kDimensions}, integer(types.i32, rank));
  storeField(types.halideBuffer, result, {0, kDim}, dimensions);
  storeField(types.halideBuffer, result, {0, kPadding}, null);
  return result;
}

LLVM::LLVMFuncOp AdaptorBuilder::declareKernel(const std::string &symbol, LLVM::LLVMFunctionType type) {
  LLVM::LLVMFuncOp &kernel = kernels[symbol];
  if (!kernel) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    kernel = builder.create<LLVM::LLVMFuncOp>(builder.getUnknownLoc(), symbol, type);
    // Defined in the same library: hidden, so that calls need no table of addresses.
    kernel.setVisibility_(LLVM::Visibility::Hidden);
    kernel.setDsoLocal(true);
  }
  if (kernel.getFunctionType() != type)
    throw runError("internal error: kernel " + symbol + " is called with different arguments in different places");
  return kernel;
}

void AdaptorBuilder::emit(const StepOperation &operation, const std::string &symbol) {
  location = NameLoc::get(builder.getStringAttr(operation.name.empty() ? symbol : operation.name));
  auto adaptor = builder.create<LLVM::LLVMFuncOp>(
      location, symbol, LLVM::LLVMFunctionType::get(types.i32, {types.pointer}), LLVM::Linkage::Internal);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(adaptor.addEntryBlock(builder));
  call = adaptor.getArgument(0);
  callFields.clear();

  std::vector<Value> arguments;
  std::vector<Type> argumentTypes;
  for (const KernelScalar &scalar : operation.scalars)
    arguments.push_back(emitScalar(scalar));
  for (const KernelBuffer &buffer : operation.buffers)
    arguments.push_back(emitBuffer(buffer));
  for (Value argument : arguments)
    argumentTypes.push_back(argument.getType());
  LLVM::LLVMFuncOp kernel =
      declareKernel(kernelSymbol(operation.kernel), LLVM::LLVMFunctionType::get(types.i32, argumentTypes));
  Value status = builder.create<LLVM::CallOp>(location, kernel, arguments).getResult();
  builder.create<LLVM::ReturnOp>(location, status);
}

std::string AdaptorBuilder::adaptorFor(const StepOperation &operation) {
  checkBuffers(operation);
  auto [entry, isNew] = adaptors.try_emplace(describe(operation),
                                             "run_" + std::to_string(adaptors.size()) + "_" + operation.kernel.family);
  if (isNew)
    emit(operation, entry->second);
  return entry->second;
}

} // namespace partyline::codegen
