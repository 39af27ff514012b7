// A link between a token of one ragged batch and a token of another.
#pragma once

#include <cstdint>

namespace heed {

// In a pair of sentences, both are counted from the start of their sentence. In a batch, the target
// is counted from the start of the batch, so that it names the sentence, too.
struct TokenLink {
  int32_t target = 0, source = 0;

  bool operator==(const TokenLink&) const = default;
  bool operator<(const TokenLink& other) const {
    return target != other.target ? target < other.target : source < other.source;
  }
};

}  // namespace heed
