// What every head of a model does with one sentence pair.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/models/model.h"

namespace heed {

struct RecordOptions {
  bool norms = false;
  bool gradients = false;  // and importance: costs a backward pass
  // The target tokens, from 0, whose log-probabilities the gradients are of; none: all of them.
  std::vector<int64_t> tokens = {};
};

// One of the attentions of a model. All arrays are (layers, heads, queries, keys), and absent where
// they are not wanted or where the model has no such attention.
struct RecordedPart {
  Tensor weights;    // as the pass used them
  Tensor norms;      // see contribution_norms
  Tensor gradients;  // of the sum of the tokens' log-probabilities with respect to the weights
  // (layers, heads): |∂ log-probability / ∂ gate|, summed over the tokens before the absolute
  // value. For all tokens that is the gradient of the sentence's cross-entropy.
  Tensor importance;
};

// A row belongs to the token that is predicted: the rows of the decoder and of the cross-attention
// are those of `target`, the end included; the rows of the encoder are those of `source`.
struct Recording {
  std::vector<int32_t> source;  // what the encoder read: the keys of encoder and cross
  std::vector<int32_t> target;
  std::vector<int32_t> read;  // the keys of the decoder: the start token, then the target
                              // without its last token
  std::vector<double> log_probabilities;  // of the target's tokens
  std::array<RecordedPart, all_attention_parts.size()> parts;

  const RecordedPart& part(AttentionPart part) const { return parts[static_cast<size_t>(part)]; }
  RecordedPart& part(AttentionPart part) { return parts[static_cast<size_t>(part)]; }
};

// By one pass over the whole pair; both sentences have their ends. The source of a language model
// is empty. The weights are those that a decoder uses when it finds this target, up to rounding.
Recording record(const AttentiveModel& model, std::span<const int32_t> source,
                 std::span<const int32_t> target, const RecordOptions& options = {});

}  // namespace heed
