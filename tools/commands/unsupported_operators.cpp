//===- unsupported_operators.cpp ------------------------------------------===//
#include "tools/commands/unsupported_operators.h"

#include <sstream>
#include <utility>
#include <vector>

namespace partyline::commands {

const std::map<std::string, std::string> &unsupportedOperators() {
  static const std::vector<std::pair<std::string, std::string>> groups = {
      {"recurrent", "GRU LSTM RNN"},
      {"control flow", "Loop Scan"},
      {"sequence", "ConcatFromSequence ReverseSequence SequenceConstruct SequenceEmpty SequenceErase "
                   "SequenceInsert SequenceLength SequenceMap"},
      {"optional", "Optional OptionalGetElement OptionalHasElement"},
      {"quantised",
       "ConvInteger DequantizeLinear DynamicQuantizeLinear MatMulInteger QLinearConv QLinearMatMul QuantizeLinear"},
      {"random", "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike"},
      {"text", "RegexFullMatch StringConcat StringNormalizer StringSplit TfIdfVectorizer"},
      {"signal", "BlackmanWindow DFT HammingWindow HannWindow MelWeightMatrix STFT"},
      {"detection", "MaxRoiPool NonMaxSuppression RoiAlign"},
      {"logical", "BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor IsInf IsNaN Xor"},
      {"discrete", "ArgMax ArgMin Compress EyeLike Hardmax NonZero OneHot Sign TopK Unique"},
      {"image file", "ImageDecoder"},
      {"sampling", "AffineGrid CenterCropPad Col2Im DeformConv GridSample MaxUnpool"},
      {"indexing", "GatherElements GatherND Scatter ScatterElements ScatterND"},
      {"unwritten", "Acos Acosh Asin Asinh Atan Atanh Celu Cos Cosh CumSum DepthToSpace Det Einsum GlobalLpPool "
                    "LpNormalization LpPool MeanVarianceNormalization ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
                    "ReduceSumSquare Shrink Sin Sinh SpaceToDepth Tan Tile Trilu"},
  };
  static const std::map<std::string, std::string> operators = [] {
    std::map<std::string, std::string> all;
    for (const auto &[reason, names] : groups) {
      std::istringstream words(names);
      for (std::string name; words >> name;)
        all.emplace(name, reason);
    }
    return all;
  }();
  return operators;
}

} // namespace partyline::commands
