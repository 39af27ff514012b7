// Hypotheses that grow token by token: what searches know of a model that generates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heed/data/batch.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Whose attention is looked at. Both are counted from 1.
struct AttentionChoice {
  int layer = 0;  // 0 for the last
  int head = 0;   // 0 for the mean of all
};

// Sentences join and leave between any two steps. The hypotheses of one sentence stand together, in
// the order in which the sentences joined. A hypothesis does not depend on the others.
class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual int64_t hypotheses() const = 0;

  // More source sentences, each with one empty hypothesis, after those that are there. Where
  // attention is wanted of them, `attention` says whose. A model without an encoder reads the
  // source before anything else: it is the beginning of the text, or empty.
  virtual void add(const TokenBatch& source, std::optional<AttentionChoice> attention = {}) = 0;

  // Whether it can leave out tokens of the next sentences, and which tokens it is to score of them:
  // sorted ids for each sentence that `add` brings next.
  virtual bool scores_candidates() const { return false; }
  virtual void set_candidates(const std::vector<std::vector<int32_t>>& /*of_next*/) {}

  // Appends a token to each hypothesis (to an empty one: the start token
  // or, without an encoder, the last token of the beginning) and scores the next one:
  // logits (hypotheses, vocabulary), valid until the next call. Of a sentence with candidates, the
  // first columns are the scores of these, and the others mean nothing.
  virtual Tensor step(std::span<const int32_t> tokens) = 0;

  // Hypothesis i becomes a copy of what hypothesis `from[i]` was; those that are not named are
  // gone, and a sentence with its last one. The sentences of `from` do not decrease.
  virtual void select(std::span<const int64_t> from) = 0;

  // The weights that the last step gave to the source tokens in the chosen layer and head:
  // (hypotheses, longest source), zeros beyond each sentence's end and for sentences of which it is
  // not wanted. Absent for models without attention and where nobody wants it.
  virtual Tensor attention() const = 0;
};

}  // namespace heed
