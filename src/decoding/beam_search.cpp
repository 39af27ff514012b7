#include "heed/decoding/beam_search.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "heed/base/error.h"
#include "heed/kernels/top_k.h"

namespace heed {

namespace {

// What it takes from a hypothesis' rank that a term begins while the model looks at this share of
// what the term translates. Measured: docs/glossaries.md.
double misplacement(const std::vector<int64_t>& source, std::span<const float> attention) {
  constexpr double weight = 2, least = 1e-3;
  if (source.empty() || attention.empty()) return 0;
  double share = 0;
  for (const int64_t token : source) share += static_cast<double>(attention[token]);
  return -weight * std::log(std::clamp(share, least, 1.0));
}

}  // namespace

BeamSearch::BeamSearch(Request request, const SentenceBounds& bounds)
    : SentenceSearch(std::move(request), bounds, 1),
      live_{{SearchHistory::root, 0.0, 0.0, TermProgress(request_.terms)}},
      // Each level of progress with the terms has a place.
      width_(static_cast<size_t>(options().beam) + request_.terms.tokens()) {}

void BeamSearch::choose(kernels::MatrixView<float> scores,
                        kernels::MatrixView<const float> attention) {
  go_on(candidates(scores, attention));
  if (is_done()) rows_.clear();
}

std::vector<BeamSearch::Candidate> BeamSearch::candidates(
    kernels::MatrixView<float> scores, kernels::MatrixView<const float> attention) const {
  std::vector<Candidate> found;
  const std::optional<int32_t> forced = forced_column(scores.columns);
  for (int64_t row = 0; row < scores.rows; ++row) {
    const std::span<float> own(scores.row(row), static_cast<size_t>(scores.columns));
    if (forced) {
      propose_forced(row, own, *forced, found);
      continue;
    }
    propose(row, own, found);
    if (has_terms())
      propose_terms(row, own,
                    attention.present() ? std::span(attention.row(row), request_.source.size())
                                        : std::span<const float>(),
                    found);
  }
  // Stable: what is equal stays in the order of the parents, which is by score, and of the ids.
  std::ranges::stable_sort(found, std::ranges::greater(), &Candidate::rank);
  return has_terms() && !forced ? in_turns(found) : found;
}

std::vector<BeamSearch::Candidate> BeamSearch::in_turns(std::span<const Candidate> ranked) const {
  std::map<int64_t, std::deque<Candidate>, std::greater<>> levels;
  for (const Candidate& candidate : ranked)
    levels[live_[candidate.parent].terms.extended(candidate.token).level()].push_back(candidate);
  std::vector<Candidate> turns;
  while (!levels.empty())
    for (auto level = levels.begin(); level != levels.end();) {
      turns.push_back(level->second.front());
      level->second.pop_front();
      level = level->second.empty() ? levels.erase(level) : std::next(level);
    }
  return turns;
}

void BeamSearch::propose(int64_t row, std::span<float> scores,
                         std::vector<Candidate>& found) const {
  const Live& live = live_[row];
  rules_.apply(scores, length_,
               rules_.needs_tokens() ? history_.ids(live.node) : std::vector<int32_t>());
  // A row can fill the beam by itself, with one more where an end leaves it. Greedy search is over
  // then.
  const bool is_greedy = width_ == 1 || has_branched();
  const size_t wanted = is_greedy ? 1 : narrows() ? width_ : width_ + 1;
  const size_t passed_over = rules_.keep_shares() ? rules_.most_forbidden() : 0;
  const size_t most = std::min(scores.size(), wanted + passed_over);
  std::vector<int32_t> tokens(most);
  std::vector<float> log_probabilities(most);
  kernels::log_softmax_top_k(scores, static_cast<int64_t>(scores.size()),
                             static_cast<int64_t>(most), tokens, log_probabilities);
  require(!std::isnan(log_probabilities.front()),
          "beam search: the model's scores of the next token are not numbers");
  for (size_t i = 0; i < most; ++i) {
    const int32_t token = token_at(tokens[i]);
    if (!std::isfinite(log_probabilities[i]) ||
        (passed_over > 0 && rules_.is_forbidden(token, length_)) ||
        (token == bounds_.end && !live.terms.is_complete()))
      continue;
    found.push_back({row, token, live.log_probability + static_cast<double>(log_probabilities[i]),
                     live.misplaced});
  }
}

void BeamSearch::propose_terms(int64_t row, std::span<const float> scores,
                               std::span<const float> attention,
                               std::vector<Candidate>& found) const {
  const Live& live = live_[row];
  for (const int32_t token : live.terms.wanted()) {
    const double misplaced = misplacement(live.terms.source_of(token), attention);
    const auto known = std::ranges::find_if(
        found, [&](const Candidate& one) { return one.parent == row && one.token == token; });
    if (known != found.end()) {
      known->misplaced += misplaced;
    } else if (const std::optional<int32_t> column = rules_.column_of(token)) {
      const auto log_probability = static_cast<double>(token_log_probability(scores, *column));
      if (std::isfinite(log_probability))
        found.push_back(
            {row, token, live.log_probability + log_probability, live.misplaced + misplaced});
    }
  }
}

// Where a prefix says what comes next, that is the only proposal, also if the model finds it
// impossible.
void BeamSearch::propose_forced(int64_t row, std::span<const float> scores, int32_t column,
                                std::vector<Candidate>& found) const {
  const float log_probability = token_log_probability(scores, column);
  require(!std::isnan(log_probability),
          "beam search: the model's scores of the next token are not numbers");
  found.push_back(
      {row, token_at(column),
       live_[row].log_probability + static_cast<double>(std::max(log_probability, -1e9f)),
       live_[row].misplaced});
}

// The best candidates become the rows. Those that end leave their place to the next best, or empty
// in a search that narrows.
void BeamSearch::go_on(std::span<const Candidate> ranked) {
  const bool last_step = length_ + 1 == longest_;
  const size_t beam = width_;
  if (narrows()) ranked = ranked.first(std::min(ranked.size(), beam));
  std::vector<Live> next;
  rows_.clear();
  for (size_t rank = 0; rank < ranked.size() && next.size() < beam; ++rank) {
    const auto [parent, token, log_probability, misplaced] = ranked[rank];
    const bool ends = token == bounds_.end;
    if (rank >= beam && (ends || last_step)) continue;
    const Live& beginning = live_[parent];
    if (ends) {
      end({beginning.node, log_probability, misplaced, beginning.terms}, false);
      continue;
    }
    Live longer = {history_.extend(beginning.node, token, parent), log_probability, misplaced,
                   beginning.terms.extended(token)};
    if (last_step) {
      end(longer, true);
    } else {
      next.push_back(std::move(longer));
      rows_.push_back({parent, token});
    }
  }
  live_ = std::move(next);
  if (narrows()) width_ = live_.size();
}

void BeamSearch::end(const Live& whole, bool cut) {
  const auto score = [&](double log_probability) {
    return hypothesis_score(options(), log_probability, length_ + 1);
  };
  const Ended ended{whole.node,
                    whole.log_probability,
                    score(whole.log_probability),
                    score(whole.log_probability - whole.misplaced),
                    cut,
                    whole.terms.met()};
  const auto is_better = [](const Ended& a, const Ended& b) { return b < a; };
  ended_.insert(std::ranges::upper_bound(ended_, ended, is_better), ended);
}

double BeamSearch::best_live() const {
  return std::ranges::max(live_, {}, &Live::log_probability).log_probability;
}

bool BeamSearch::is_done() const {
  if (live_.empty()) return true;
  if (options().branch || narrows()) return false;
  const size_t found = ended_.size(), wanted = static_cast<size_t>(options().n_best);
  if (static_cast<double>(found) >= std::round(options().patience * options().beam)) return true;
  if (found < wanted) return false;
  // Log-probabilities only fall and lengths only grow, so no live hypothesis can score higher than
  // this.
  const double hope = hypothesis_score(options(), best_live(), longest_);
  return hope <= ended_[wanted - 1].rank;
}

bool BeamSearch::has_branched() const {
  return options().branch && length_ > static_cast<int64_t>(request_.prefix.size());
}

std::vector<Hypothesis> BeamSearch::take_results() {
  std::vector<Hypothesis> best;
  const size_t count = std::min(ended_.size(), static_cast<size_t>(options().n_best));
  for (const Ended& ended : std::span(ended_).first(count)) {
    best.push_back(hypothesis(ended.node, ended.log_probability, ended.cut));
    best.back().score = ended.score;
  }
  return best;
}

}  // namespace heed
