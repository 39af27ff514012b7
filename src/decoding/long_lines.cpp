#include "heed/decoding/long_lines.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace heed {

namespace {

using Ids = std::vector<int32_t>;

// Those of the second kind have no space behind them.
constexpr std::array<std::string_view, 6> ends_before_space = {".", "!", "?", "…", "।", "؟"};
constexpr std::array<std::string_view, 3> ends_before_anything = {"。", "！", "？"};
constexpr std::array<std::string_view, 9> quotes = {"\"", "'", ")", "]", "”", "’", "»", "」", "』"};

bool ends_with_any(std::string_view text, std::span<const std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return text.ends_with(end); });
}

// Whether a sentence ends before the token at `end`: "end. Next", "end!” Next", "end?) Next".
bool ends_sentence(const Ids& ids, size_t begin, size_t end, const Vocabulary& vocabulary) {
  const std::string next = vocabulary.piece(ids[end]);
  if (std::ranges::any_of(quotes, [&](std::string_view quote) { return next.starts_with(quote); }))
    return false;
  std::string text;
  for (size_t i = end; i > begin && text.size() < 16; --i) text = vocabulary.piece(ids[i - 1]) + text;
  std::string_view left = text;
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view quote : quotes)
      if (left.ends_with(quote)) {
        left.remove_suffix(quote.size());
        found = true;
      }
  }
  return ends_with_any(left, ends_before_anything) ||
         (vocabulary.starts_word(ids[end]) && ends_with_any(left, ends_before_space));
}

// Where the part that begins at `begin` should end for all parts to be about equal: behind a sentence, if one
// ends within reach, otherwise before a word, otherwise anywhere.
size_t end_of_part(const Ids& ids, size_t begin, size_t most, const Vocabulary& vocabulary) {
  const size_t left = ids.size() - begin, parts = (left + most - 1) / most;
  const size_t aim = begin + (left + parts - 1) / parts;
  const auto distance = [&](size_t end) { return end > aim ? end - aim : aim - end; };
  size_t best = begin;
  for (size_t end = begin + most / 4 + 1; end <= begin + most; ++end)
    if ((best == begin || distance(end) < distance(best)) && ends_sentence(ids, begin, end, vocabulary))
      best = end;
  if (best > begin) return best;
  for (size_t end = aim; end > begin; --end)
    if (vocabulary.starts_word(ids[end])) return end;
  return aim;
}

}  // namespace

std::vector<Ids> cut_line(const Ids& ids, const Vocabulary& vocabulary, int64_t longest) {
  std::vector<Ids> parts;
  const auto most = static_cast<size_t>(longest);
  size_t begin = 0;
  while (begin < ids.size()) {
    const size_t left = ids.size() - begin;
    const size_t end = left > most ? end_of_part(ids, begin, most, vocabulary) : ids.size();
    parts.emplace_back(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                       ids.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  return parts;
}

}  // namespace heed
