// How likely a model finds given translations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/vocabulary.h"
#include "heed/models/model.h"

namespace heed {

// Natural logarithms of the probability of each token of a target sentence, its end included, given
// the source and the tokens before it.
using TokenScores = std::vector<double>;

// For each pair of the batch, which has the sentences' ends.
std::vector<TokenScores> score_pairs(const Model& model, const Batch& batch);

// Of words, which are their pieces together, and of the sentence's end, which is the last.
std::vector<double> word_scores(const TokenScores& scores, std::span<const int32_t> target_ids,
                                const Vocabulary& target);

struct LineScore {
  double log_probability = 0;  // of all tokens and the sentence's end
  int64_t tokens = 0;          // with the end
  std::vector<double> words;   // see word_scores
};

struct ScoringOptions {
  size_t first = 1;  // what errors count the lines from

  // Tokens that either line of a pair may have, with the end: attention takes time that grows with
  // their square. An Error names the first pair that has more.
  int64_t max_length = 8192;
};

// Of target line i as a translation of source line i.
std::vector<LineScore> score_lines(const Model& model, const Vocabulary& source,
                                   const Vocabulary& target,
                                   std::span<const std::string> source_lines,
                                   std::span<const std::string> target_lines, Workers& workers,
                                   const ScoringOptions& options = {});

}  // namespace heed
