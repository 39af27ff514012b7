// The gated recurrent unit (Cho et al., 2014), in layers and directions.
#pragma once

#include "heed/layers/recurrent.h"

namespace heed {

class Gru : public Recurrent {
 public:
  Gru(const RecurrentConfig& config, Initialiser init)
      : Recurrent(RecurrentKind::gru, config, init) {}
};

}  // namespace heed
