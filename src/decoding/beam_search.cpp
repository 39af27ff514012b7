#include "heed/decoding/beam_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "heed/base/error.h"
#include "heed/decoding/search_history.h"
#include "heed/decoding/token_rules.h"
#include "heed/kernels/top_k.h"

namespace heed {

namespace {

// A partial translation.
struct Live {
  int64_t hypothesis;  // in the history
  double log_probability;
  int64_t row;    // row of the last step that it comes from
  int32_t token;  // its last one
};

// A partial translation with one more token.
struct Candidate {
  size_t parent;  // which live hypothesis of the sentence
  int32_t token;
  double log_probability;
};

struct Ended {
  int64_t hypothesis;
  double log_probability;
  double score;
  bool cut;  // at the maximum length
};

struct Sentence {
  int64_t index;  // in the batch
  int64_t source_tokens;
  int64_t longest;              // most tokens of a hypothesis, including its end
  std::vector<int32_t> prefix;  // what every hypothesis begins with
  std::vector<Live> live;
  std::vector<Ended> ended;  // best first
};

class Search {
 public:
  Search(const Model& model, const TokenBatch& source, const SentenceBounds& bounds,
         const SearchOptions& options, TargetPrefixes prefixes);

  std::vector<std::vector<Hypothesis>> run();

 private:
  void score_next_tokens();
  void apply_rules(Tensor& logits) const;
  void force_prefixes(const Tensor& logits);
  bool is_forced(const Sentence& sentence) const {
    return length_ < static_cast<int64_t>(sentence.prefix.size());
  }
  void advance(Sentence& sentence, int64_t first_row);
  std::vector<Candidate> candidates(const Sentence& sentence, int64_t first_row) const;
  void end(Sentence& sentence, int64_t hypothesis, double log_probability, bool cut) const;
  bool is_done(const Sentence& sentence) const;
  std::vector<Hypothesis> result_of(const Sentence& sentence) const;
  void select_rows();

  const SentenceBounds bounds_;
  const SearchOptions& options_;
  TokenRules rules_;
  std::unique_ptr<Decoder> decoder_;
  SearchHistory history_;
  std::vector<Sentence> sentences_;  // the sentences that are not done
  std::vector<std::vector<Hypothesis>> results_;
  int64_t length_ = 0;                // tokens of every live hypothesis
  std::vector<int32_t> last_tokens_;  // of the live hypotheses of all sentences
  int64_t proposals_ = 0;             // candidates per row
  std::vector<int32_t> proposed_;
  std::vector<float> log_probabilities_;
};

Search::Search(const Model& model, const TokenBatch& source, const SentenceBounds& bounds,
               const SearchOptions& options, TargetPrefixes prefixes)
    : bounds_(bounds),
      options_(options),
      rules_(options, bounds.end),
      decoder_(model.decode(
          source, {.want_attention = options.want_attention, .attention = options.attention})) {
  const int64_t count = source.layout.sequences();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t tokens = source.layout.length(i);
    const std::vector<int32_t> prefix =
        prefixes.empty() ? std::vector<int32_t>() : prefixes[static_cast<size_t>(i)];
    sentences_.push_back({.index = i,
                          .source_tokens = tokens,
                          .longest = longest_hypothesis(options, tokens, prefix.size()),
                          .prefix = prefix,
                          .live = {{SearchHistory::root, 0.0, i, bounds.start}},
                          .ended = {}});
  }
  results_.resize(static_cast<size_t>(count));
  last_tokens_.assign(static_cast<size_t>(count), bounds.start);
}

std::vector<std::vector<Hypothesis>> Search::run() {
  while (!sentences_.empty()) {
    score_next_tokens();
    int64_t first_row = 0;
    for (Sentence& sentence : sentences_) {
      const auto rows = static_cast<int64_t>(sentence.live.size());
      advance(sentence, first_row);
      first_row += rows;
    }
    ++length_;
    std::erase_if(sentences_, [&](const Sentence& sentence) {
      if (!is_done(sentence)) return false;
      results_[static_cast<size_t>(sentence.index)] = result_of(sentence);
      return true;
    });
    if (!sentences_.empty()) select_rows();
  }
  return std::move(results_);
}

void Search::score_next_tokens() {
  Tensor logits = decoder_->step(last_tokens_);
  const int64_t vocabulary = logits.shape().columns();
  require(bounds_.start >= 0 && bounds_.start < vocabulary && bounds_.end >= 0 &&
              bounds_.end < vocabulary,
          "beam search: sentences start with id {} and end with id {}, but the vocabulary has {}",
          bounds_.start, bounds_.end, vocabulary);
  apply_rules(logits);
  // One row may fill the whole beam, plus one candidate for an end that leaves it. In greedy
  // search, an end finishes the sentence.
  proposals_ = options_.beam == 1 ? 1 : std::min<int64_t>(vocabulary, options_.beam + 1);
  const size_t size = last_tokens_.size() * static_cast<size_t>(proposals_);
  proposed_.resize(size);
  log_probabilities_.resize(size);
  kernels::log_softmax_top_k(logits.span<float>(), vocabulary, proposals_, proposed_,
                             log_probabilities_);
  force_prefixes(logits);
  if (!options_.want_attention) return;
  if (const Tensor attention = decoder_->attention(); attention.present())
    history_.remember_attention(attention);
}

void Search::apply_rules(Tensor& logits) const {
  int64_t row = 0;
  for (const Sentence& sentence : sentences_)
    for (const Live& live : sentence.live) {
      const std::span<float> scores(logits.matrix<float>().row(row++),
                                    static_cast<size_t>(logits.shape().columns()));
      if (is_forced(sentence)) continue;
      rules_.apply(scores, length_,
                   rules_.needs_tokens() ? history_.ids(live.hypothesis) : std::vector<int32_t>());
    }
}

// If a prefix says what comes next, that is the only candidate.
void Search::force_prefixes(const Tensor& logits) {
  const kernels::MatrixView<const float> scores = logits.matrix<float>();
  int64_t row = 0;
  for (const Sentence& sentence : sentences_)
    for (size_t i = 0; i < sentence.live.size(); ++i, ++row) {
      if (!is_forced(sentence)) continue;
      const int32_t token = sentence.prefix[static_cast<size_t>(length_)];
      require(token >= 0 && token < scores.columns,
              "beam search: id {} is in a prefix, but the vocabulary has {}", token,
              scores.columns);
      const size_t first = static_cast<size_t>(row * proposals_);
      const float normaliser = scores(row, proposed_[first]) - log_probabilities_[first];
      std::fill_n(log_probabilities_.begin() + row * proposals_, proposals_,
                  -std::numeric_limits<float>::infinity());
      proposed_[first] = token;
      // Forced even if the model gives it no probability.
      log_probabilities_[first] = std::max(scores(row, token) - normaliser, -1e9f);
    }
}

// The best candidates become the live hypotheses. Those that end make way for the next best.
void Search::advance(Sentence& sentence, int64_t first_row) {
  const std::vector<Candidate> ranked = candidates(sentence, first_row);
  const bool last_step = length_ + 1 == sentence.longest;
  const size_t beam = static_cast<size_t>(options_.beam);
  std::vector<Live> next;
  for (size_t rank = 0; rank < ranked.size() && next.size() < beam; ++rank) {
    const auto [parent, token, log_probability] = ranked[rank];
    const bool ends = token == bounds_.end;
    if (rank >= beam && (ends || last_step)) continue;
    const int64_t row = first_row + static_cast<int64_t>(parent);
    const int64_t beginning = sentence.live[parent].hypothesis;
    if (ends)
      end(sentence, beginning, log_probability, false);
    else if (last_step)
      end(sentence, history_.extend(beginning, token, row), log_probability, true);
    else
      next.push_back({history_.extend(beginning, token, row), log_probability, row, token});
  }
  sentence.live = std::move(next);
}

// The candidates of a sentence, best first.
std::vector<Candidate> Search::candidates(const Sentence& sentence, int64_t first_row) const {
  const size_t proposals = static_cast<size_t>(proposals_);
  std::vector<Candidate> found;
  found.reserve(sentence.live.size() * proposals);
  for (size_t parent = 0; parent < sentence.live.size(); ++parent) {
    const size_t begin = (static_cast<size_t>(first_row) + parent) * proposals;
    require(!std::isnan(log_probabilities_[begin]),
            "beam search: the model's scores of the next token are not numbers");
    for (size_t i = begin; i < begin + proposals; ++i)
      if (std::isfinite(log_probabilities_[i]))
        found.push_back(
            {parent, proposed_[i],
             sentence.live[parent].log_probability + static_cast<double>(log_probabilities_[i])});
  }
  // Stable: ties keep the order of the parents, which are sorted by score, and of the ids.
  std::ranges::stable_sort(found, std::ranges::greater(), &Candidate::log_probability);
  return found;
}

void Search::end(Sentence& sentence, int64_t hypothesis, double log_probability, bool cut) const {
  const Ended ended{hypothesis, log_probability,
                    hypothesis_score(options_, log_probability, length_ + 1), cut};
  const auto place =
      std::ranges::upper_bound(sentence.ended, ended.score, std::ranges::greater(), &Ended::score);
  sentence.ended.insert(place, ended);
}

bool Search::is_done(const Sentence& sentence) const {
  if (sentence.live.empty()) return true;
  const size_t found = sentence.ended.size(), wanted = static_cast<size_t>(options_.n_best);
  if (static_cast<double>(found) >= std::round(options_.patience * options_.beam)) return true;
  if (found < wanted) return false;
  // Log-probabilities only fall and lengths only grow, so no live hypothesis can score higher than
  // this.
  const double hope =
      hypothesis_score(options_, sentence.live.front().log_probability, sentence.longest);
  return hope <= sentence.ended[wanted - 1].score;
}

std::vector<Hypothesis> Search::result_of(const Sentence& sentence) const {
  std::vector<Hypothesis> best;
  const size_t count = std::min(sentence.ended.size(), static_cast<size_t>(options_.n_best));
  for (const Ended& ended : std::span(sentence.ended).first(count))
    best.push_back({.ids = history_.ids(ended.hypothesis),
                    .score = ended.score,
                    .log_probability = ended.log_probability,
                    .cut = ended.cut,
                    .attention = history_.attention(ended.hypothesis, sentence.source_tokens)});
  return best;
}

void Search::select_rows() {
  const int64_t rows = static_cast<int64_t>(last_tokens_.size());
  std::vector<int64_t> from;
  last_tokens_.clear();
  for (const Sentence& sentence : sentences_)
    for (const Live& live : sentence.live) {
      from.push_back(live.row);
      last_tokens_.push_back(live.token);
    }
  // Often no hypothesis changes places (never in greedy search): then the decoder need not move its
  // memory.
  const bool unchanged = static_cast<int64_t>(from.size()) == rows &&
                         std::ranges::is_sorted(from) &&
                         std::ranges::adjacent_find(from) == from.end();
  if (!unchanged) decoder_->select(from);
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(const Model& model, const TokenBatch& source,
                                                 const SentenceBounds& bounds,
                                                 const SearchOptions& options,
                                                 TargetPrefixes prefixes) {
  check(options);
  const auto sentences = static_cast<size_t>(source.layout.sequences());
  require(prefixes.empty() || prefixes.size() == sentences,
          "beam search: {} prefixes for {} sentences", prefixes.size(), sentences);
  if (sentences == 0) return {};
  return Search(model, source, bounds, options, prefixes).run();
}

}  // namespace heed
