//===- matmul.cpp - y[M,N] = x[M,K] w[K,N] + bias, and its gradients ------===//
#include "codegen/kernels/buffers.h"
#include "codegen/kernels/kernel.h"
#include "codegen/kernels/matrix_product.h"
#include "runtime/shared/error.h"

namespace partyline::kernels {

using namespace Halide;

namespace matmul_family {

int positive(const Parameters &parameters, const std::string &name) {
  const int value = parameters.integer(name);
  if (value < 1)
    throw inputError("parameter '" + name + "' must be 1 or more");
  return value;
}

Kernel buildMatmul(const Parameters &parameters, const Target &target) {
  const int k = positive(parameters, "k"), n = positive(parameters, "n");
  ImageParam x = denseInput("x", {k, 0}), w = denseInput("w", {n, k}), bias = denseInput("bias", {n});
  Product product;
  product.rows = x.dim(1).extent();
  product.columns = n;
  product.depth = k;
  product.candidate = Candidate::read(parameters);
  product.fewRows = true;
  product.left = [=](Expr k, Expr m) { return x(k, m); };
  product.right = [=](Expr n, Expr k) { return w(n, k); };
  Kernel kernel{{x, w}, {}};
  if (parameters.integer("bias")) {
    product.bias = [=](Expr n) { return bias(n); };
    kernel.arguments.push_back(bias);
  }
  Func y = matrixProduct(product, target);
  setDense(y.output_buffer(), {n, 0});
  kernel.outputs = {y};
  return kernel;
}

/// dx[M,K] = dy[M,N] w[K,N]^T
Kernel buildInputGradient(const Parameters &parameters, const Target &target) {
  const int k = positive(parameters, "k"), n = positive(parameters, "n");
  ImageParam dy = denseInput("dy", {n, 0}), w = denseInput("w", {n, k});
  Product product;
  product.rows = dy.dim(1).extent();
  product.columns = k;
  product.depth = n;
  product.candidate = Candidate::read(parameters);
  product.left = [=](Expr n, Expr m) { return dy(n, m); };
  product.right = [=](Expr k, Expr n) { return w(n, k); };
  product.transposed = true;
  Func dx = matrixProduct(product, target);
  setDense(dx.output_buffer(), {k, 0});
  return {{dy, w}, {dx}};
}

/// dw[K,N] = x[M,K]^T dy[M,N], added to what is there if `accumulate`
Kernel buildWeightGradient(const Parameters &parameters, const Target &target) {
  const int k = positive(parameters, "k"), n = positive(parameters, "n");
  ImageParam x = denseInput("x", {k, 0}), dy = denseInput("dy", {n, 0}), old = denseInput("old", {n, k});
  Param<int32_t> accumulate("accumulate");
  OuterProduct product;
  product.rows = x.dim(1).extent();
  product.columns = n;
  product.depth = k;
  product.candidate = Candidate::read(parameters);
  product.left = [=](Expr k, Expr m) { return x(k, m); };
  product.right = [=](Expr n, Expr m) { return dy(n, m); };
  product.old = [=](Expr n, Expr k) { return old(n, k); };
  product.accumulate = accumulate;
  Func dw = outerProduct(product, target);
  setDense(dw.output_buffer(), {n, k});
  return {{accumulate, x, dy, old}, {dw}};
}

RegisterKernel forward("matmul", {"k", "n", "bias"}, buildMatmul, kCandidates);
RegisterKernel inputGradient("matmul_input_gradient", {"k", "n"}, buildInputGradient, kCandidates);
RegisterKernel weightGradient("matmul_weight_gradient", {"k", "n"}, buildWeightGradient, kCandidates);

} // namespace matmul_family

} // namespace partyline::kernels
