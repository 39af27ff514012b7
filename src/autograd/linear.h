// Matrix products of variables.
#pragma once

#include "heed/autograd/tape.h"
#include "heed/kernels/activation.h"

namespace heed {

using kernels::Activation;

// activation(x weightᵀ + bias): x (..., inputs), weight (outputs, inputs), bias (outputs) or absent
// -> (..., outputs).
Variable linear(const Variable& x, const Variable& weight, const Variable& bias = {},
                Activation activation = Activation::identity);

// a b: a (..., k), b (k, n) -> (..., n).
Variable matmul(const Variable& a, const Variable& b);

// f(x), element by element.
Variable activate(Activation kind, const Variable& x);

}  // namespace heed
