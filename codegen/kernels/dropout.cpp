//===- codegen/kernels/dropout.cpp - dropout by a counter-based hash ------===//
//
// y[N,E] = kept ? x / (1 - ratio) : 0. Applied to dy it is the gradient: the mask is not stored but is a function of
// (seed, step, sample id, layer, element), whatever rank, micro-batch and place the sample is in.
//
// The hash: C. Wellons' "lowbias32" (hash-prospector, public domain), a bijection of 32 bits of the kind of murmur3's
// finaliser, with nearly no bias from any input bit to any output bit. Two chains of it with different starts take in
// seed, step, layer and sample id, so that two samples share a mask only if 64 bits collide. An element is mixed with
// both keys, one before a last round and one after the first: two keys give two different permutations, not shifted
// pieces of one sequence.
//
//===----------------------------------------------------------------------===//

#include "codegen/kernels/elementwise.h"

using namespace Halide;

namespace partyline::kernels {
namespace dropout_family {

Expr unsignedExpr(uint32_t value) { return Expr(value); }

Expr mix(Expr h) {
  h = h ^ (h >> 16);
  h = h * unsignedExpr(0x7feb352d);
  h = h ^ (h >> 15);
  h = h * unsignedExpr(0x846ca68b);
  return h ^ (h >> 16);
}

Kernel buildDropout(const Parameters &, const Target &target) {
  // THE ALGORITHM
  Param<float> ratio("ratio");
  Param<uint32_t> seed("seed"), step("step"), layer("layer");
  ImageParam x = inputBuffer(2, "x"), ids = inputBuffer(Int(32), 1, "sample_ids");
  Var e("e"), n("n");
  Func keys("keys"), result("result");
  auto chain = [&](uint32_t start) {
    Expr h = unsignedExpr(start);
    for (Expr counter : {Expr(seed), Expr(step), Expr(layer), cast<uint32_t>(ids(n))})
      h = mix(h + counter) + unsignedExpr(start);
    return h;
  };
  keys(n) = Tuple(chain(0x9e3779b9), chain(0x85ebca6b)); // any two odd numbers
  Expr hash = mix(mix(cast<uint32_t>(e) + keys(n)[0]) ^ keys(n)[1]);
  // Dropped where the hash is one of the first ratio * 2^32: exact, and never for a ratio of 0.
  Expr isKept = hash >= cast<uint32_t>(min(ratio, 0.99999994f) * 4294967296.0f);
  result(e, n) = strict(select(isKept, x(e, n) * (1.0f / (1.0f - ratio)), 0.0f));
  denseOutput(result);

  // THE SCHEDULE: the keys of a sample are made once per stretch of it.
  scheduleRows(result, {e, n}, x.dim(0).extent(), vectorLanes(target));
  keys.compute_at(result, Var("inner"));
  return {{ratio, seed, step, layer, x, ids}, {result}};
}

RegisterKernel dropout("dropout", {}, buildDropout);

} // namespace dropout_family
} // namespace partyline::kernels
