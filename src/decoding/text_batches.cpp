#include "heed/decoding/text_batches.h"

#include <algorithm>
#include <numeric>

namespace heed {

std::vector<std::pair<size_t, size_t>> batches_of_texts(std::span<const size_t> lengths,
                                                        int workers) {
  constexpr size_t most_tokens = 128, fewest_tokens = 64, batches_per_worker = 4;
  const size_t all = std::accumulate(lengths.begin(), lengths.end(), size_t{0});
  const size_t wanted = std::clamp(all / (static_cast<size_t>(workers) * batches_per_worker),
                                   fewest_tokens, most_tokens);
  std::vector<std::pair<size_t, size_t>> batches;
  size_t tokens = most_tokens;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (batches.empty() || tokens + lengths[i] > wanted) {
      batches.emplace_back(i, i);
      tokens = 0;
    }
    tokens += lengths[i];
    batches.back().second = i + 1;
  }
  return batches;
}

}  // namespace heed
