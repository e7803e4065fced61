//===- loss_divisor.h - what the losses of a batch are divided by ---------===//
//
// The mean of a loss that ignores labels or weighs classes divides by the weights of the labels that are kept: of a
// step, those of all ranks. Every rank knows the step's samples and sees the labels of all of them, so each counts for
// itself, in one order, and all get the same number: the one that a single rank would get.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/data/dataset.h"
#include "runtime/step/arena.h"

namespace partyline::runtime {

class LossDivisor {
public:
  /// Takes the class weights from the arena.
  LossDivisor(const Manifest &manifest, const ManifestClass &deviceClass, const Arena &arena);

  /// What these samples add to the divisor of a batch they are in.
  double weight(const Dataset &dataset, const std::vector<uint32_t> &samples) const;
  /// Of a batch whose samples have this weight together. Where no label counts, all losses are 0: divided by 1, too.
  double divisor(double weight) const { return weight > 0 && reduction.name != "sum" ? weight : 1; }

  /// Whether a label's loss counts.
  bool keeps(int32_t label) const { return label != reduction.ignoreIndex; }

private:
  const ManifestReduction reduction;
  const int64_t labelsOfOne; ///< labels of a sample
  std::vector<float> classWeights;
};

} // namespace partyline::runtime
