// Which hypotheses belong to which source sentence, as a decoder keeps, copies and forgets them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/ragged.h"

namespace heed {

class Hypotheses {
 public:
  // One for each sentence.
  explicit Hypotheses(int64_t sentences);

  int64_t count() const { return grouping_.tokens(); }
  const Ragged& grouping() const { return grouping_; }  // how many each sentence has
  const std::vector<int64_t>& sentences() const { return sentences_; }  // of each hypothesis

  // Checks that there is one token for each hypothesis, all within the vocabulary.
  void check_tokens(std::span<const int32_t> tokens, int64_t vocabulary) const;

  // Hypothesis i becomes a copy of what hypothesis `from[i]` was. The sentences of `from` do not
  // decrease.
  void select(std::span<const int64_t> from);

 private:
  Ragged grouping_;
  std::vector<int64_t> sentences_;
};

}  // namespace heed
