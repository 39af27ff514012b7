// A model that is prepared for inference: it continues sentences, token by token.
#pragma once

#include <limits>
#include <memory>

#include "heed/models/decoder.h"

namespace heed {

// Shared by any number of decoders, on any threads.
class Generator {
 public:
  virtual ~Generator() = default;

  // Without a sentence at first. Must not outlive the generator.
  virtual std::unique_ptr<Decoder> make_decoder() const = 0;

  // The most tokens that a sentence may have on either side, with its end.
  virtual int64_t max_length() const { return std::numeric_limits<int64_t>::max(); }
};

}  // namespace heed
