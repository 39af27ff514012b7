// The search for the translations of one sentence, step by step: what it makes of the scores that a
// model gives to the next tokens of its hypotheses. It knows nothing of other sentences.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "heed/decoding/hypothesis.h"
#include "heed/decoding/required_terms.h"
#include "heed/decoding/search_history.h"
#include "heed/decoding/search_options.h"
#include "heed/decoding/token_rules.h"
#include "heed/kernels/matrix_view.h"

namespace heed {

// Is told each token that a sample grows by, its end excepted, with the number of the sample; says
// whether the sample goes on.
using TokenWatch = std::function<bool(int sample, int32_t token)>;

// What is to be translated, and how.
struct Request {
  // With the sentence's end. For a model without an encoder: the beginning of a text but for its
  // last token, which is `start`.
  std::vector<int32_t> source;
  std::shared_ptr<const SearchOptions> options;
  std::vector<int32_t> prefix = {};   // what its translations begin with
  std::optional<int32_t> start = {};  // what hypotheses start with, if not the session's token
  // The only tokens that are scored, sorted; none if all are. A decoder may score all the same.
  std::vector<int32_t> candidates = {};
  RequiredTerms terms = {};  // that its translations have; not for samples
  TokenWatch watch = {};     // of samples, if somebody wants to know
};

// A hypothesis that goes on: a copy of a row of the last step, with one more token.
struct NextRow {
  int64_t from;  // among the sentence's own rows
  int32_t token;
};

class SentenceSearch {
 public:
  virtual ~SentenceSearch() = default;

  // The rows of the next step. Before the first they come from one row, which is empty, and their
  // token is the start token. None: the search is over.
  const std::vector<NextRow>& rows() const { return rows_; }

  // Takes the scores of the next token, (rows, vocabulary) or (rows, candidates), which it may
  // change, and what the rows looked at, (rows, at least the source tokens), or nothing.
  void advance(kernels::MatrixView<float> scores, kernels::MatrixView<const float> attention = {});

  // The best first, once the search is over.
  virtual std::vector<Hypothesis> take_results() = 0;

  const Request& request() const { return request_; }

 protected:
  SentenceSearch(Request request, const SentenceBounds& bounds, int64_t first_rows);

  // The attention may be absent.
  virtual void choose(kernels::MatrixView<float> scores,
                      kernels::MatrixView<const float> attention) = 0;

  const SearchOptions& options() const { return *request_.options; }
  // The column of the token that the prefix has next; none where it is over.
  std::optional<int32_t> forced_column(int64_t columns) const;
  // The token of a column.
  int32_t token_at(int32_t column) const {
    return request_.candidates.empty() ? column : request_.candidates[static_cast<size_t>(column)];
  }
  Hypothesis hypothesis(int64_t node, double log_probability, bool cut) const;

  Request request_;
  SentenceBounds bounds_;
  TokenRules rules_;
  SearchHistory history_;
  int64_t longest_;     // tokens that a hypothesis may have, its end included
  int64_t length_ = 0;  // tokens of every hypothesis so far
  std::vector<NextRow> rows_;
};

// log softmax(scores)[token]; NaN where the scores have no softmax.
float token_log_probability(std::span<const float> scores, int32_t token);

// Beam search, or samples where the options ask for them. An Error names an option that cannot be.
std::unique_ptr<SentenceSearch> make_search(Request request, const SentenceBounds& bounds);

}  // namespace heed
