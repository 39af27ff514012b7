#include "heed/alignment/digamma.h"

#include <cmath>

namespace heed {

double digamma(double x) {
  // digamma(x) = digamma(x + 1) - 1 / x brings x to where the asymptotic series is exact enough.
  double below = 0;
  for (; x < 8; x += 1) below += 1 / x;
  const double square = 1 / (x * x);
  const double series =
      square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240))));
  return std::log(x) - 0.5 / x - series - below;
}

}  // namespace heed
