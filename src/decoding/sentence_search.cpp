#include "heed/decoding/sentence_search.h"

#include <utility>

#include "heed/base/error.h"
#include "heed/decoding/beam_search.h"
#include "heed/decoding/sampling.h"
#include "heed/kernels/top_k.h"

namespace heed {

SentenceSearch::SentenceSearch(Request request, const SentenceBounds& bounds, int64_t first_rows)
    : request_(std::move(request)),
      bounds_(bounds),
      rules_(options(), bounds.end, request_.candidates),
      longest_(longest_hypothesis(options(), static_cast<int64_t>(request_.source.size()),
                                  request_.prefix.size())),
      rows_(static_cast<size_t>(first_rows),
            {.from = 0, .token = request_.start.value_or(bounds.start)}) {}

void SentenceSearch::advance(kernels::MatrixView<float> scores,
                             kernels::MatrixView<const float> attention) {
  const int64_t vocabulary = scores.columns;
  const bool all = request_.candidates.empty();
  require(!all || (bounds_.start >= 0 && bounds_.start < vocabulary && bounds_.end >= 0 &&
                   bounds_.end < vocabulary),
          "search: sentences start with id {} and end with id {}, but the vocabulary has {}",
          bounds_.start, bounds_.end, vocabulary);
  if (attention.present())
    history_.remember_attention(attention, static_cast<int64_t>(request_.source.size()));
  choose(scores, attention);
  ++length_;
}

std::optional<int32_t> SentenceSearch::forced_column(int64_t columns) const {
  if (length_ >= static_cast<int64_t>(request_.prefix.size())) return std::nullopt;
  const int32_t token = request_.prefix[length_];
  if (request_.candidates.empty()) {
    require(token >= 0 && token < columns,
            "search: id {} is in a prefix, but the vocabulary has {}", token, columns);
    return token;
  }
  const std::optional<int32_t> column = rules_.column_of(token);
  require(column.has_value(), "search: id {} is in a prefix, but it is no candidate", token);
  return column;
}

Hypothesis SentenceSearch::hypothesis(int64_t node, double log_probability, bool cut) const {
  return {.ids = history_.ids(node),
          .score = 0,
          .log_probability = log_probability,
          .cut = cut,
          .attention = history_.attention(node)};
}

float token_log_probability(std::span<const float> scores, int32_t token) {
  int32_t best = 0;
  float log_probability = 0;
  kernels::log_softmax_top_k(scores, static_cast<int64_t>(scores.size()), 1, {&best, 1},
                             {&log_probability, 1});
  const float normaliser = scores[best] - log_probability;
  return scores[token] - normaliser;
}

std::unique_ptr<SentenceSearch> make_search(Request request, const SentenceBounds& bounds) {
  require(request.options != nullptr, "search: no options were given");
  check(*request.options);
  require(request.terms.empty() || !(request.options->sampling || request.options->branch),
          ErrorKind::usage,
          "search: a glossary has its terms found by beam search, neither by samples nor branches");
  if (request.options->sampling) return std::make_unique<SampleSearch>(std::move(request), bounds);
  return std::make_unique<BeamSearch>(std::move(request), bounds);
}

}  // namespace heed
