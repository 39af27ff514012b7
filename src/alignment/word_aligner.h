// Learns which words of sentence pairs translate each other, from the pairs alone.
//
// A model for each direction has the probabilities of words (lexical_table.h) and of positions:
// first a diagonal prior, then jumps. The two models learn together: with jumps, each counts a link
// only as much as the other believes in it, too (Liang, Taskar and Klein, 2006).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "heed/alignment/diagonal.h"
#include "heed/alignment/jumps.h"
#include "heed/alignment/lexical_table.h"
#include "heed/alignment/numbered_words.h"
#include "heed/alignment/symmetrise.h"
#include "heed/base/workers.h"

namespace heed {

struct ProbableLink {
  WordLink link;
  double probability;
};

struct AlignerOptions {
  int diagonal_rounds = 5;  // of expectation and maximisation
  int jump_rounds = 5;
};

// What a model of one direction knows.
class DirectedAligner {
 public:
  DirectedAligner(LexicalTable table) : table_(std::move(table)) {}

  // `counting` for maximise(), from any thread.
  void align(Sentence source, Sentence target, bool with_jumps, bool counting, Posteriors& found);
  void add_counts(Sentence source, Sentence target, const Posteriors& found);
  void maximise(bool with_jumps, Workers& workers);

 private:
  LexicalTable table_;
  Diagonal diagonal_;
  Jumps jumps_;
};

class WordAligner {
 public:
  using Progress = std::function<void(int round, int rounds)>;

  // Learns from `pairs`; those with an empty side do not count. The same on any number of threads.
  // The words must outlive the aligner.
  WordAligner(std::span<const NumberedPair> pairs, const NumberedWords& source_words,
              const NumberedWords& target_words, Workers& workers,
              const AlignerOptions& options = {}, const Progress& progress = {});

  // The links of pairs, each from the most probable word for each word, in each direction. Also of
  // pairs that were not learnt from. In any of many threads.
  std::vector<WordLink> links(const NumberedPair& pair, Symmetrisation method);

  // The links that both directions believe in: the geometric mean of their probabilities is high.
  std::vector<WordLink> agreed_links(const NumberedPair& pair);

  // All links that one of the directions finds at least as probable as this.
  std::vector<ProbableLink> probable_links(const NumberedPair& pair, double at_least);

 private:
  void learn_from(const NumberedPair& pair, bool with_jumps);
  void align(const NumberedPair& pair, Posteriors& forward, Posteriors& reverse);

  bool with_jumps_;
  DirectedAligner forward_, reverse_;
};

}  // namespace heed
