// The long short-term memory (Hochreiter and Schmidhuber, 1997), in layers and directions.
#pragma once

#include "heed/layers/recurrent.h"

namespace heed {

class Lstm : public Recurrent {
 public:
  Lstm(const RecurrentConfig& config, Initialiser init)
      : Recurrent(RecurrentKind::lstm, config, init) {}
};

}  // namespace heed
