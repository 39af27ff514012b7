#include "heed/data/batch.h"

namespace heed {

TokenBatch join_sentences(std::span<const std::vector<int32_t>> sentences) {
  TokenBatch batch;
  std::vector<int64_t> lengths;
  lengths.reserve(sentences.size());
  for (const std::vector<int32_t>& sentence : sentences) {
    batch.ids.insert(batch.ids.end(), sentence.begin(), sentence.end());
    lengths.push_back(static_cast<int64_t>(sentence.size()));
  }
  batch.layout = Ragged(lengths);
  return batch;
}

}  // namespace heed
