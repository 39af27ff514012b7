// The long short-term memory (Hochreiter and Schmidhuber, 1997), in layers and directions.
#pragma once

#include "heed/layers/recurrent.h"

namespace heed {

class Lstm : public Recurrent {
 public:
  Lstm(const RecurrentConfig& config, Rng& rng) : Recurrent(RecurrentKind::lstm, config, rng) {}
};

}  // namespace heed
