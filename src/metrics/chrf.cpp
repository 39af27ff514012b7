#include "heed/metrics/chrf.h"

#include <algorithm>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/metrics/ngrams.h"
#include "heed/metrics/version.h"

namespace heed {

namespace {

constexpr int character_orders = 6;
constexpr double beta = 2;

// For each order, what the hypothesis has, what the reference has, and what both have.
constexpr size_t counts_per_order = 3;

bool is_ascii_punctuation(char32_t c) {
  return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') ||
         (c >= U'{' && c <= U'~');
}

// Words with a punctuation mark at their end, or else at their start, as a word of its own.
std::vector<std::u32string> words_of(std::u32string_view text) {
  std::vector<std::u32string> words;
  for (const std::u32string_view word : split_at_spaces(text)) {
    const size_t last = word.size() - 1;
    const size_t cut = last == 0                            ? 0
                       : is_ascii_punctuation(word.back())  ? last
                       : is_ascii_punctuation(word.front()) ? 1
                                                            : 0;
    if (cut > 0) words.emplace_back(word.substr(0, cut));
    words.emplace_back(word.substr(cut));
  }
  return words;
}

// What n-grams are taken from: the characters without spaces, and the words as numbers.
struct Sequences {
  Sequences(std::string_view text, const ChrfOptions& options, WordNumbers& numbers) {
    std::u32string whole = characters_of(text);
    if (options.lowercase) whole = lowercase(whole);
    if (options.word_orders > 0) words = numbers.number(words_of(whole));
    std::ranges::copy_if(whole, std::back_inserter(characters),
                         [](char32_t c) { return !is_space(c); });
  }

  std::u32string characters;
  std::u32string words;
};

int64_t ngrams_in(const std::u32string& sequence, int n) {
  return std::max<int64_t>(0, static_cast<int64_t>(sequence.size()) - n + 1);
}

void count_order(const std::u32string& hypothesis, const std::u32string& reference, int n,
                 Metric::Counts& counts) {
  const int64_t expected = ngrams_in(reference, n);
  // Skip orders that the reference is too short for.
  const int64_t found = expected > 0 ? ngrams_in(hypothesis, n) : 0;
  const auto order = static_cast<size_t>(n);
  const int64_t both =
      count_matches(count_ngrams(hypothesis, order), count_ngrams(reference, order));
  for (const int64_t count : {found, expected, both}) counts.push_back(static_cast<double>(count));
}

}  // namespace

Metric::Counts Chrf::count(std::string_view hypothesis,
                           std::span<const std::string_view> references) const {
  require(!references.empty(), "chrF: there is no reference");
  WordNumbers numbers;
  const Sequences translation(hypothesis, options_, numbers);
  Counts best;
  for (const std::string_view reference : references) {
    const Sequences expected(reference, options_, numbers);
    Counts counts;
    for (int n = 1; n <= character_orders; ++n)
      count_order(translation.characters, expected.characters, n, counts);
    for (int n = 1; n <= options_.word_orders; ++n)
      count_order(translation.words, expected.words, n, counts);
    if (best.empty() || score(counts) > score(best)) best = std::move(counts);
  }
  return best;
}

double Chrf::score(const Counts& counts) const {
  double precision = 0, recall = 0;
  int orders = 0;
  for (size_t i = 0; i < counts.size(); i += counts_per_order) {
    const double found = counts[i], expected = counts[i + 1], both = counts[i + 2];
    if (found == 0 || expected == 0) continue;
    precision += both / found;
    recall += both / expected;
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  constexpr double weight = beta * beta;
  return 100 * ((1 + weight) * precision * recall / (weight * precision + recall));
}

std::string Chrf::text(const Counts& counts) const {
  return fmt::format("chrF2{} = {:.2f}",
                     std::string(static_cast<size_t>(options_.word_orders), '+'), score(counts));
}

std::string Chrf::signature(int references) const {
  return fmt::format("nrefs:{}|case:{}|eff:yes|nc:{}|nw:{}|space:no|version:{}", references,
                     options_.lowercase ? "lc" : "mixed", character_orders, options_.word_orders,
                     reproduced_version);
}

}  // namespace heed
