//===- codegen/kernels/strict.h - arithmetic as it is written -------------===//
//
// Halide's default lets LLVM contract, reorder, and assume that there is no NaN and no infinity; strict_float() forbids
// it, but only for what stays inside of the call: a subexpression used twice is lifted out before Halide looks. Here
// every node is wrapped by itself, so that all of an expression is strict, whatever is lifted. Then NaN and infinity
// keep their meaning and every CPU gives the same bits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <Halide.h>

namespace partyline::kernels {

class Strictly : public Halide::Internal::IRGraphMutator {
public:
  Halide::Expr mutate(const Halide::Expr &e) override {
    Halide::Expr result = IRGraphMutator::mutate(e);
    return result.type().is_float() || result.type().is_bool() ? Halide::strict_float(result) : result;
  }
  using IRGraphMutator::mutate;
};

inline Halide::Expr strict(const Halide::Expr &e) { return Strictly().mutate(e); }

} // namespace partyline::kernels
