#include "heed/decoding/sampling.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/kernels/top_k.h"

namespace heed {

namespace {

// A function of what is translated, so that neither its place nor its batch matters.
RandomKey key_of(const Request& request, uint64_t seed) {
  RandomKey key = make_key(seed);
  for (const int32_t id : request.source) key = derive_key(key, static_cast<uint64_t>(id));
  return request.start ? derive_key(key, static_cast<uint64_t>(*request.start)) : key;
}

}  // namespace

SampleSearch::SampleSearch(Request request, const SentenceBounds& bounds)
    : SentenceSearch(request, bounds, request.options->n_best) {
  const RandomKey key = key_of(request_, options().sampling->seed);
  for (int i = 0; i < options().n_best; ++i)
    samples_.push_back(
        {i, SearchHistory::root, 0.0, Rng(derive_key(key, static_cast<uint64_t>(i)))});
}

void SampleSearch::choose(kernels::MatrixView<float> scores, kernels::MatrixView<const float>) {
  std::vector<Sample> going_on;
  rows_.clear();
  for (int64_t row = 0; row < scores.rows; ++row) {
    Sample sample = samples_[row];
    const int32_t token =
        extend(sample, row, {scores.row(row), static_cast<size_t>(scores.columns)});
    const bool ended = token == bounds_.end;
    const bool stopped = !ended && request_.watch && !request_.watch(sample.number, token);
    if (ended || stopped || length_ + 1 >= longest_) {
      ended_.push_back(hypothesis(sample.node, sample.log_probability, !ended && !stopped));
      ended_.back().score = hypothesis_score(options(), sample.log_probability, length_ + 1);
    } else {
      going_on.push_back(sample);
      rows_.push_back({row, token});
    }
  }
  samples_ = std::move(going_on);
}

int32_t SampleSearch::extend(Sample& sample, int64_t row, std::span<float> scores) {
  int32_t best = 0;
  float log_probability = 0;
  kernels::log_softmax_top_k(scores, static_cast<int64_t>(scores.size()), 1, {&best, 1},
                             {&log_probability, 1});
  require(!std::isnan(log_probability),
          "sampling: the model's scores of the next token are not numbers");
  const float normaliser = scores[best] - log_probability;
  const std::vector<float> before(scores.begin(), scores.end());
  std::optional<int32_t> column = forced_column(static_cast<int64_t>(scores.size()));
  if (!column) {
    rules_.apply(scores, length_,
                 rules_.needs_tokens() ? history_.ids(sample.node) : std::vector<int32_t>());
    column = draw_token(scores, *options().sampling, sample.rng.uniform());
  }
  sample.log_probability += static_cast<double>(before[*column] - normaliser);
  const int32_t token = token_at(*column);
  if (token != bounds_.end) sample.node = history_.extend(sample.node, token, row);
  return token;
}

std::vector<Hypothesis> SampleSearch::take_results() {
  std::ranges::stable_sort(ended_, std::ranges::greater(), &Hypothesis::score);
  return std::move(ended_);
}

namespace {

// A token that may be drawn.
struct Choice {
  double weight;
  int32_t token;
  // Likelier first, then the lower id: the top of a heap is its largest element.
  bool operator<(const Choice& other) const {
    return weight != other.weight ? weight < other.weight : token > other.token;
  }
};

// The first at which the cumulative weight exceeds `left`; the last if rounding leaves none.
int32_t drawn_from(std::span<const Choice> choices, double left) {
  for (const Choice& choice : choices) {
    left -= choice.weight;
    if (left < 0) return choice.token;
  }
  return choices.back().token;
}

}  // namespace

int32_t likeliest_token(std::span<const float> scores) {
  return static_cast<int32_t>(std::ranges::max_element(scores) - scores.begin());
}

int32_t draw_token(std::span<const float> scores, const Sampling& sampling, double number) {
  if (sampling.top_k == 1) return likeliest_token(scores);
  const auto highest = static_cast<double>(*std::ranges::max_element(scores));
  std::vector<Choice> choices;
  double total = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const double weight =
        std::exp((static_cast<double>(scores[i]) - highest) / sampling.temperature);
    if (weight > 0) choices.push_back({weight, static_cast<int32_t>(i)});
    total += weight;
  }
  require(!choices.empty(), "sampling: no token can be drawn");
  if (sampling.top_k == 0 && sampling.top_p >= 1) return drawn_from(choices, number * total);
  // Only as many as may be drawn are sorted.
  const auto most = sampling.top_k > 0
                        ? std::min(choices.size(), static_cast<size_t>(sampling.top_k))
                        : choices.size();
  std::make_heap(choices.begin(), choices.end());
  auto end = choices.end();
  double kept = 0;
  for (size_t i = 0; i < most && (i == 0 || kept < sampling.top_p * total); ++i, --end) {
    std::pop_heap(choices.begin(), end);
    kept += (end - 1)->weight;
  }
  return drawn_from({end, choices.end()}, number * kept);
}

}  // namespace heed
