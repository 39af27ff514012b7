// How probable each target word is as the translation of a source word.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/alignment/exact_sum.h"
#include "heed/alignment/numbered_words.h"
#include "heed/base/workers.h"

namespace heed {

// The source "word" of target words that translate none.
inline constexpr int32_t no_word = -1;

// Holds the pairs of words that occur together in a sentence pair. The probabilities of a source
// word are those of variational Bayes with a Dirichlet prior, whose pseudo-counts are larger for
// words that look alike.
class LexicalTable {
 public:
  // Gives the sentences of a side.
  using Side = std::function<Sentence(size_t pair)>;

  // The words must outlive the table; more may be numbered later, while no thread reads.
  LexicalTable(size_t pairs, const Side& sources, const Side& targets,
               const NumberedWords& source_words, const NumberedWords& target_words,
               Workers& workers);

  // Of pairs that were not seen together, too.
  double probability(int32_t source, int32_t target) const;

  // Adds to the count of a pair of words that were seen together; from any thread.
  void add(int32_t source, int32_t target, double count);

  // The probabilities that follow from the counts, which are 0 again afterwards.
  void maximise(Workers& workers);

 private:
  // A hash table of its own, with a power of two of places.
  struct Row {
    size_t begin = 0, places = 0;
    double scale = 1;  // what exp(digamma(count)) is divided by
  };

  size_t rows() const { return rows_.size(); }
  size_t place_in(const Row& row, int32_t target) const;
  double pseudo_count(int32_t source, int32_t target) const;
  void fill(size_t row, std::span<const int32_t> targets);

  const NumberedWords* source_words_;
  const NumberedWords* target_words_;
  std::vector<Row> rows_;  // of no_word, then of each source word
  std::vector<int32_t> targets_;
  std::vector<float> pseudo_counts_, probabilities_;
  std::vector<ExactSum> counts_;
};

}  // namespace heed
