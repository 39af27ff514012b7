// The log-probabilities of given translations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/source_tags.h"
#include "heed/data/vocabulary.h"
#include "heed/models/model.h"

namespace heed {

// The natural log-probability of each token of a target sentence, including its end, given the
// source and the previous tokens.
using TokenScores = std::vector<double>;

// For each pair of the batch, which has the sentences' ends.
std::vector<TokenScores> score_pairs(const PredictingModel& model, const Batch& batch);

// The log-probabilities of words, summed over their pieces, and last that of the sentence's end.
std::vector<double> word_scores(const TokenScores& scores, std::span<const int32_t> target_ids,
                                const Vocabulary& target);

struct LineScore {
  double log_probability = 0;  // of all tokens and the sentence's end
  int64_t tokens = 0;          // with the end
  std::vector<double> words;   // see word_scores
};

struct ScoringOptions {
  size_t first = 1;  // number of the first line, for errors

  // Most tokens of either line of a pair, including the end: the time of attention grows with their
  // square. An Error names the first pair that has more.
  int64_t max_length = 8192;

  std::span<const TagIds> tags = {};  // in front of the sources; see tag_of_line
};

// The tokens of a text, without an end, and the log-probability of each given those before it.
struct TextScore {
  std::vector<int32_t> ids;
  TokenScores tokens;
};

// Of lines as texts of a language model.
std::vector<TextScore> score_texts(const PredictingModel& model, const Vocabulary& vocabulary,
                                   std::span<const std::string> lines, Workers& workers,
                                   const ScoringOptions& options = {});

// Of a text of any length, such as a book, with the end of the text. It is read in windows: each
// token is scored given at least the half of the model's context before it, if there is so much.
TextScore score_document(const PredictingModel& model, const Vocabulary& vocabulary,
                         std::string_view text, Workers& workers);

// Of target line i as a translation of source line i.
std::vector<LineScore> score_lines(const PredictingModel& model, const Vocabulary& source,
                                   const Vocabulary& target,
                                   std::span<const std::string> source_lines,
                                   std::span<const std::string> target_lines, Workers& workers,
                                   const ScoringOptions& options = {});

}  // namespace heed
