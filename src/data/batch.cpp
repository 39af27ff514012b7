#include "heed/data/batch.h"

#include <algorithm>

#include "heed/base/error.h"

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

TokenBatch without_ends(const TokenBatch& tokens) {
  std::vector<std::vector<int32_t>> sentences;
  for (int64_t s = 0; s < tokens.layout.sequences(); ++s) {
    const std::span<const int32_t> sentence = tokens.sentence(s);
    require(!sentence.empty(), "batch: sentence {} has no end", s);
    sentences.emplace_back(sentence.begin(), sentence.end() - 1);
  }
  return join_sentences(sentences);
}

TokenBatch shifted_right(const Batch& batch, int32_t start) {
  const TokenBatch& target = batch.target;
  require(batch.before.empty() || std::ssize(batch.before) == batch.sentences(),
          "batch: {} tokens before {} targets", batch.before.size(), batch.sentences());
  TokenBatch inputs = target;
  std::copy_backward(target.ids.begin(), target.ids.end() - (target.ids.empty() ? 0 : 1),
                     inputs.ids.end());
  for (int64_t s = 0; s < batch.sentences(); ++s) {
    if (target.layout.length(s) == 0) continue;
    const int32_t before = batch.before.empty() ? start_token : batch.before[s];
    inputs.ids[target.layout.begin(s)] = before == start_token ? start : before;
  }
  return inputs;
}

namespace {

TokenBatch twice(const TokenBatch& tokens) {
  std::vector<std::vector<int32_t>> sentences;
  for (int time = 0; time < 2; ++time)
    for (int64_t s = 0; s < tokens.layout.sequences(); ++s) {
      const std::span<const int32_t> sentence = tokens.sentence(s);
      sentences.emplace_back(sentence.begin(), sentence.end());
    }
  return join_sentences(sentences);
}

}  // namespace

Batch twice(const Batch& batch) {
  Batch doubled = {twice(batch.source), twice(batch.target), batch.before,
                   batch.places,        batch.links,         batch.weights};
  doubled.before.insert(doubled.before.end(), batch.before.begin(), batch.before.end());
  for (const int32_t place : batch.places)
    doubled.places.push_back(place + static_cast<int32_t>(batch.source.ids.size()));
  doubled.weights.insert(doubled.weights.end(), batch.weights.begin(), batch.weights.end());
  for (const auto& [target, source] : batch.links)
    doubled.links.push_back({target + static_cast<int32_t>(batch.target.ids.size()), source});
  return doubled;
}

}  // namespace heed
