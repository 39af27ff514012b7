#include "heed/decoding/sampling.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/decoding/search_history.h"
#include "heed/decoding/token_rules.h"
#include "heed/kernels/top_k.h"

namespace heed {

namespace {

// An unfinished sample. The samples of one sentence are adjacent.
struct Sample {
  int64_t sentence;
  int64_t hypothesis;  // in the history
  double log_probability;
  int32_t token;  // its last one
  Rng rng;
};

// A function of the sentence, so that neither its position nor its batch matters.
RandomKey key_of(std::span<const int32_t> source, uint64_t seed) {
  RandomKey key = make_key(seed);
  for (const int32_t id : source) key = derive_key(key, static_cast<uint64_t>(id));
  return key;
}

class SampleSearch {
 public:
  SampleSearch(const Model& model, const TokenBatch& source, const SentenceBounds& bounds,
               const SearchOptions& options, TargetPrefixes prefixes);

  std::vector<std::vector<Hypothesis>> run();

 private:
  void step();
  // Draws the next token of the sample from the scores of its row, and adds its log-probability.
  void extend(Sample& sample, int64_t row, std::span<float> scores);
  void end(const Sample& sample, int64_t length);
  std::span<const int32_t> prefix_of(const Sample& sample) const {
    if (prefixes_.empty()) return {};
    return prefixes_[static_cast<size_t>(sample.sentence)];
  }

  const TokenBatch& source_;
  SentenceBounds bounds_;
  const SearchOptions& options_;
  TargetPrefixes prefixes_;
  TokenRules rules_;
  std::unique_ptr<Decoder> decoder_;
  SearchHistory history_;
  std::vector<Sample> samples_;
  std::vector<std::vector<Hypothesis>> results_;
  int64_t length_ = 0;  // tokens of every unfinished sample
};

SampleSearch::SampleSearch(const Model& model, const TokenBatch& source,
                           const SentenceBounds& bounds, const SearchOptions& options,
                           TargetPrefixes prefixes)
    : source_(source),
      bounds_(bounds),
      options_(options),
      prefixes_(prefixes),
      rules_(options, bounds.end),
      decoder_(model.decode(
          source, {.want_attention = options.want_attention, .attention = options.attention})),
      results_(static_cast<size_t>(source.layout.sequences())) {
  std::vector<int64_t> from;
  for (int64_t s = 0; s < source.layout.sequences(); ++s) {
    const RandomKey key = key_of(source.sentence(s), options.sampling->seed);
    for (int i = 0; i < options.n_best; ++i) {
      samples_.push_back({s, SearchHistory::root, 0.0, bounds.start,
                          Rng(derive_key(key, static_cast<uint64_t>(i)))});
      from.push_back(s);
    }
  }
  decoder_->select(from);
}

std::vector<std::vector<Hypothesis>> SampleSearch::run() {
  while (!samples_.empty()) step();
  for (std::vector<Hypothesis>& samples : results_)
    std::ranges::stable_sort(samples, std::ranges::greater(), &Hypothesis::score);
  return std::move(results_);
}

void SampleSearch::step() {
  std::vector<int32_t> tokens;
  for (const Sample& sample : samples_) tokens.push_back(sample.token);
  Tensor logits = decoder_->step(tokens);
  if (options_.want_attention)
    if (const Tensor attention = decoder_->attention(); attention.present())
      history_.remember_attention(attention);
  std::vector<Sample> going_on;
  std::vector<int64_t> from;
  for (size_t i = 0; i < samples_.size(); ++i) {
    Sample sample = samples_[i];
    const auto row = static_cast<int64_t>(i);
    extend(sample, row,
           {logits.matrix<float>().row(row), static_cast<size_t>(logits.shape().columns())});
    const int64_t longest = longest_hypothesis(options_, source_.layout.length(sample.sentence),
                                               prefix_of(sample).size());
    if (sample.token == bounds_.end || length_ + 1 >= longest) {
      end(sample, length_ + 1);
    } else {
      going_on.push_back(sample);
      from.push_back(row);
    }
  }
  ++length_;
  if (going_on.size() < samples_.size() && !going_on.empty()) decoder_->select(from);
  samples_ = std::move(going_on);
}

void SampleSearch::extend(Sample& sample, int64_t row, std::span<float> scores) {
  int32_t best = 0;
  float log_probability = 0;
  kernels::log_softmax_top_k(scores, static_cast<int64_t>(scores.size()), 1, {&best, 1},
                             {&log_probability, 1});
  require(!std::isnan(log_probability),
          "sampling: the model's scores of the next token are not numbers");
  const float normaliser = scores[static_cast<size_t>(best)] - log_probability;
  const std::vector<float> before(scores.begin(), scores.end());
  const std::span<const int32_t> prefix = prefix_of(sample);
  if (length_ < static_cast<int64_t>(prefix.size())) {
    sample.token = prefix[static_cast<size_t>(length_)];
    require(sample.token >= 0 && sample.token < static_cast<int32_t>(scores.size()),
            "sampling: id {} is in a prefix, but the vocabulary has {}", sample.token,
            scores.size());
  } else {
    rules_.apply(scores, length_,
                 rules_.needs_tokens() ? history_.ids(sample.hypothesis) : std::vector<int32_t>());
    sample.token = draw_token(scores, *options_.sampling, sample.rng.uniform());
  }
  sample.log_probability +=
      static_cast<double>(before[static_cast<size_t>(sample.token)] - normaliser);
  if (sample.token != bounds_.end)
    sample.hypothesis = history_.extend(sample.hypothesis, sample.token, row);
}

void SampleSearch::end(const Sample& sample, int64_t length) {
  results_[static_cast<size_t>(sample.sentence)].push_back(
      {.ids = history_.ids(sample.hypothesis),
       .score = hypothesis_score(options_, sample.log_probability, length),
       .log_probability = sample.log_probability,
       .cut = sample.token != bounds_.end,
       .attention = history_.attention(sample.hypothesis, source_.layout.length(sample.sentence))});
}

// A candidate token.
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

int32_t draw_token(std::span<const float> scores, const Sampling& sampling, double number) {
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

std::vector<std::vector<Hypothesis>> sample_translations(const Model& model,
                                                         const TokenBatch& source,
                                                         const SentenceBounds& bounds,
                                                         const SearchOptions& options,
                                                         TargetPrefixes prefixes) {
  check(options);
  require(options.sampling.has_value(), "sampling: no settings were given");
  const auto sentences = static_cast<size_t>(source.layout.sequences());
  require(prefixes.empty() || prefixes.size() == sentences,
          "sampling: {} prefixes for {} sentences", prefixes.size(), sentences);
  if (sentences == 0) return {};
  return SampleSearch(model, source, bounds, options, prefixes).run();
}

}  // namespace heed
