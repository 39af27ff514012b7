// The derivative of the logarithm of the gamma function.
#pragma once

namespace heed {

// For x > 0, to about 1e-10.
double digamma(double x);

}  // namespace heed
