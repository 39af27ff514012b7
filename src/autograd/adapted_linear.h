// A linear map with a low-rank adapter (LoRA; Hu et al., 2022).
#pragma once

#include "heed/autograd/linear.h"

namespace heed {

// activation(x (weight + scale up down)ᵀ + bias), without making that sum: x (..., inputs), weight
// (outputs, inputs), bias (outputs) or absent, down (rank, inputs), up (outputs, rank)
// -> (..., outputs). The gradients of down and up take no more memory than these.
Variable adapted_linear(const Variable& x, const Variable& weight, const Variable& bias,
                        const Variable& down, const Variable& up, double scale,
                        Activation activation = Activation::identity);

}  // namespace heed
