#include "heed/metrics/ter.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/metrics/edit_distance.h"
#include "heed/metrics/ngrams.h"
#include "heed/metrics/version.h"

namespace heed {

namespace {

// Indices into the counts.
constexpr size_t edits = 0, reference_length = 1;

// The limits of the usual tools. Without them, a long sentence would take hours.
constexpr size_t longest_move = 10, farthest_move = 50;
constexpr int most_attempts = 1000;

// A run of words that the reference has somewhere else.
struct Run {
  size_t from;  // in the hypothesis
  size_t to;    // in the reference
  size_t length;
};

// Calls visit(run) for every run until it returns false. They are found on demand: a sentence that
// repeats one word has thousands for each word.
template <typename Visit>
void visit_common_runs(std::u32string_view hypothesis, std::u32string_view reference,
                       const Visit& visit) {
  for (size_t from = 0; from < hypothesis.size(); ++from) {
    const size_t reach = std::min(reference.size(), from + farthest_move + 1);
    for (size_t to = from - std::min(from, farthest_move); to < reach; ++to) {
      const size_t longest =
          std::min({longest_move, hypothesis.size() - from, reference.size() - to});
      for (size_t length = 1;
           length <= longest && hypothesis[from + length - 1] == reference[to + length - 1];
           ++length)
        if (!visit(Run{from, to, length})) return;
    }
  }
}

// The hypothesis with a run moved before its word `target`; if that is within or right after the
// run, that many words further on.
std::u32string moved(std::u32string_view words, const Run& run, size_t target) {
  const std::u32string run_words(words.substr(run.from, run.length));
  std::u32string rest(words.substr(0, run.from));
  rest += words.substr(run.from + run.length);
  size_t place = target;
  if (target > run.from + run.length) place = target - run.length;
  return rest.insert(std::min(place, rest.size()), run_words);
}

bool any_wrong(const std::vector<bool>& wrong, size_t begin, size_t count) {
  return std::any_of(wrong.begin() + static_cast<ptrdiff_t>(begin),
                     wrong.begin() + static_cast<ptrdiff_t>(begin + count),
                     [](bool is_wrong) { return is_wrong; });
}

struct Move {
  int gain;
  size_t length, from, target;
  std::u32string words;

  // More gain, then more words, then the earlier run, then the earlier target.
  bool operator<(const Move& better) const {
    return std::tuple(gain, length, better.from, better.target) <
           std::tuple(better.gain, better.length, from, target);
  }
};

class Mover {
 public:
  Mover(std::u32string_view hypothesis, std::u32string_view reference)
      : words_(hypothesis), reference_(reference), distance_(reference) {}

  // Moves runs as long as that saves edits.
  int edits() {
    int moves = 0;
    while (true) {
      const std::optional<Move> move = best_move();
      if (attempts_ >= most_attempts || !move || move->gain <= 0) break;
      ++moves;
      words_ = move->words;
    }
    return moves + distance_.edits(words_);
  }

 private:
  std::optional<Move> best_move() {
    const int before = distance_.edits(words_);
    const EditDistance::Alignment alignment = distance_.alignment();
    std::optional<Move> best;
    visit_common_runs(words_, reference_, [&](const Run& run) {
      if (is_worth_moving(run, alignment)) try_targets(run, alignment, before, best);
      return attempts_ < most_attempts;
    });
    return best;
  }

  // There are errors at both of its places, and the places differ.
  static bool is_worth_moving(const Run& run, const EditDistance::Alignment& alignment) {
    if (!any_wrong(alignment.hypothesis_is_wrong, run.from, run.length)) return false;
    if (!any_wrong(alignment.reference_is_wrong, run.to, run.length)) return false;
    const int64_t aligned = alignment.of_reference[run.to];
    const auto from = static_cast<int64_t>(run.from);
    return aligned < from || aligned >= from + static_cast<int64_t>(run.length);
  }

  // A run may move to where any of the words that it matches is aligned, or to the word before
  // them.
  void try_targets(const Run& run, const EditDistance::Alignment& alignment, int before,
                   std::optional<Move>& best) {
    std::optional<size_t> last_target;
    for (size_t word = run.to; word <= run.to + run.length; ++word) {
      const size_t target =
          word == 0 ? 0 : static_cast<size_t>(alignment.of_reference[word - 1] + 1);
      if (target == last_target) continue;
      last_target = target;
      std::u32string words = moved(words_, run, target);
      ++attempts_;
      const int gain = before - distance_.edits(words);
      Move move{gain, run.length, run.from, target, std::move(words)};
      if (!best || *best < move) best = std::move(move);
    }
  }

  std::u32string words_;
  std::u32string reference_;
  EditDistance distance_;
  int attempts_ = 0;
};

std::vector<std::u32string> words_of(std::string_view text) {
  const std::u32string lower = lowercase(characters_of(text));
  const std::vector<std::u32string_view> words = split_at_spaces(lower);
  return {words.begin(), words.end()};
}

}  // namespace

Metric::Counts Ter::count(std::string_view hypothesis,
                          std::span<const std::string_view> references) const {
  require(!references.empty(), "TER: there is no reference");
  WordNumbers numbers;
  const std::u32string translation = numbers.number(words_of(hypothesis));
  int fewest = std::numeric_limits<int>::max();
  double length = 0;
  for (const std::string_view reference : references) {
    const std::u32string expected = numbers.number(words_of(reference));
    length += static_cast<double>(expected.size());
    fewest = std::min(fewest, expected.empty() ? static_cast<int>(translation.size())
                                               : Mover(translation, expected).edits());
  }
  return {static_cast<double>(fewest), length / static_cast<double>(references.size())};
}

double Ter::score(const Counts& counts) const {
  if (counts[reference_length] > 0) return 100 * (counts[edits] / counts[reference_length]);
  return counts[edits] > 0 ? 100 : 0;
}

std::string Ter::text(const Counts& counts) const {
  return fmt::format("TER = {:.2f}", score(counts));
}

std::string Ter::signature(int references) const {
  return fmt::format("nrefs:{}|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:{}",
                     references, reproduced_version);
}

}  // namespace heed
