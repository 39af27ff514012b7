// Which hypotheses belong to which source sentence, as a decoder adds, keeps, copies and forgets
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/ragged.h"

namespace heed {

// Checks that all tokens are within the vocabulary.
void check_tokens(std::span<const int32_t> tokens, int64_t vocabulary);

class Hypotheses {
 public:
  int64_t count() const { return static_cast<int64_t>(sentences_.size()); }
  // Of each hypothesis. Sentences are numbered in the order in which they were added.
  const std::vector<int64_t>& sentences() const { return sentences_; }
  int64_t next_sentence() const { return next_sentence_; }  // the number of the next one
  // How many each of the sentences [first, end) has.
  Ragged grouping(int64_t first, int64_t end) const;

  // One for each of so many more sentences, after those that are there.
  void add(int64_t sentences);

  // Checks that there is one token for each hypothesis, all within the vocabulary.
  void check_tokens(std::span<const int32_t> tokens, int64_t vocabulary) const;

  // Hypothesis i becomes a copy of what hypothesis `from[i]` was. The sentences of `from` do not
  // decrease.
  void select(std::span<const int64_t> from);

  // Numbers the sentences that still have a hypothesis from 0 on, and says what they were.
  std::vector<int64_t> renumber();

 private:
  std::vector<int64_t> sentences_;
  int64_t next_sentence_ = 0;
};

}  // namespace heed
