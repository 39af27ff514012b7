// Dropout as a layer: an op that remembers its rate.
#pragma once

#include "heed/autograd/dropout.h"

namespace heed {

// Zeroes each element with probability `rate` while the tape is training; nothing is learned.
class Dropout {
 public:
  explicit Dropout(double rate);

  Variable operator()(const Variable& x) const { return dropout(x, rate_); }
  double rate() const { return rate_; }

 private:
  double rate_;
};

}  // namespace heed
