// Ops that bring each row of a variable to a standard size.
#pragma once

#include "heed/autograd/tape.h"

namespace heed {

// exp(x) / Σ exp(x) over the last axis. A row of nothing but -infinity gives zeros.
Variable softmax(const Variable& x);

// (x - mean) / sqrt(variance + epsilon) * gain + bias over the last axis; gain and bias (width).
Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias,
                    double epsilon = 1e-5);

// x / sqrt(mean(x²) + epsilon) * gain over the last axis (Zhang and Sennrich, 2019); gain (width).
Variable rms_norm(const Variable& x, const Variable& gain, double epsilon = 1e-5);

// x / max(‖x‖, epsilon) over the last axis.
Variable unit_rows(const Variable& x, double epsilon = 1e-8);

}  // namespace heed
