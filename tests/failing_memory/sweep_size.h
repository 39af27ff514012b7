// Which requests for memory are refused, each in a run of its own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "failing_memory.h"
#include "heed/base/random.h"

namespace heed::testing {

struct RefusedRequest {
  int64_t at;
  Refusal refusal;

  std::string text() const {
    return fmt::format("request {} is refused{}", at,
                       refusal == Refusal::once ? "" : ", as are all after it");
  }
};

struct SweepSize {
  int64_t every = 0;      // all of the first so many
  int64_t at_random = 0;  // so many of the others

  // Of so many requests: each alone, and each with all that follow.
  std::vector<RefusedRequest> of(int64_t requests) const {
    std::vector<RefusedRequest> all;
    const int64_t first = std::min(every, requests), others = requests - first;
    Rng rng(1);
    for (const Refusal refusal : {Refusal::once, Refusal::from_then_on}) {
      for (int64_t at = 1; at <= first; ++at) all.push_back({at, refusal});
      for (int64_t i = 0; i < std::min(at_random, others); ++i)
        all.push_back(
            {first + 1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(others))), refusal});
    }
    return all;
  }
};

// Whether a sentence tells people what was wrong.
inline bool names_the_shortage(const std::string& sentence) {
  return sentence.find("memory") != std::string::npos;
}

}  // namespace heed::testing
