// Sums, products and means of variables. Operands of one op have the same shape and type unless it
// says otherwise.
#pragma once

#include "heed/autograd/tape.h"

namespace heed {

Variable add(const Variable& a, const Variable& b);
Variable subtract(const Variable& a, const Variable& b);
Variable multiply(const Variable& a, const Variable& b);
Variable scale(const Variable& x, double factor);

// x + bias, the bias (width) repeated for each row of x (..., width).
Variable add_to_rows(const Variable& x, const Variable& bias);

Variable sum(const Variable& x);   // one number
Variable mean(const Variable& x);  // one number
Variable mean_squared_error(const Variable& x, const Variable& target);

}  // namespace heed
