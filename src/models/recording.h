// What every head of a model does with one sentence pair, or with one text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/models/encoding_model.h"
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

  // (queries, keys): those of one head, without a copy.
  Tensor weights_of(const HeadName& head) const;
};

// A row belongs to the token that is predicted: the rows of the decoder and of the cross-attention
// are those of `target`, the end included; the rows of the encoder are those of `source`. An
// encoder alone has no target, and a decoder alone no source.
struct Recording {
  std::vector<int32_t> source;  // what the encoder read: the keys of encoder and cross
  bool ends = false;            // the last token of the source is its end
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

// A text as an encoder alone reads it, with its frame. It predicts nothing, so that there are
// norms, but neither gradients nor importance.
struct FramedText {
  std::span<const int32_t> ids;
  bool ends = true;  // the last one is its end
};
Recording record(const EncodingModel& model, const FramedText& text, bool norms = false);

}  // namespace heed
