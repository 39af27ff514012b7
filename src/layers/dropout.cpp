#include "heed/layers/dropout.h"

#include "heed/base/error.h"

namespace heed {

Dropout::Dropout(double rate) : rate_(rate) {
  require(rate >= 0.0 && rate < 1.0, "dropout: a rate of {} but 0 <= rate < 1 was expected", rate);
}

}  // namespace heed
