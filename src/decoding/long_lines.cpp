#include "heed/decoding/long_lines.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/round_up.h"

namespace heed {

namespace {

using Ids = std::vector<int32_t>;

// Those of the second kind are not followed by a space.
constexpr std::array<std::string_view, 6> ends_before_space = {".", "!", "?", "…", "।", "؟"};
constexpr std::array<std::string_view, 3> ends_before_anything = {"。", "！", "？"};
constexpr std::array<std::string_view, 9> quotes = {"\"", "'", ")", "]", "”", "’", "»", "」", "』"};

bool ends_with_any(std::string_view text, std::span<const std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return text.ends_with(end); });
}

// Whether a sentence ends before the token at `end`: "end. Next", "end!” Next", "end?) Next".
bool ends_sentence(const Ids& ids, size_t begin, size_t end, const std::vector<bool>& word_starts,
                   const Vocabulary& vocabulary) {
  const std::string next = vocabulary.piece(ids[end]);
  if (std::ranges::any_of(quotes, [&](std::string_view quote) { return next.starts_with(quote); }))
    return false;
  std::string text;
  for (size_t i = end; i > begin && text.size() < 16; --i)
    text.insert(0, vocabulary.piece(ids[i - 1]));
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
         (word_starts[end] && ends_with_any(left, ends_before_space));
}

// Fewer tokens are rarely a whole sentence: "Mr. ", "z. B. ".
constexpr size_t shortest_sentence = 8;

// Where the part that begins at `begin` should end.
size_t end_of_part(const Ids& ids, size_t begin, size_t most, const std::vector<bool>& word_starts,
                   const Vocabulary& vocabulary) {
  const size_t left = ids.size() - begin, reach = begin + std::min(most, left - 1);
  for (size_t end = begin + std::min(shortest_sentence, most / 4 + 1); end <= reach; ++end)
    if (ends_sentence(ids, begin, end, word_starts, vocabulary)) return end;
  if (left <= most) return ids.size();
  const size_t parts = divide_up(left, most), aim = begin + divide_up(left, parts);
  for (size_t end = aim; end > begin; --end)
    if (word_starts[end]) return end;
  return aim;
}

}  // namespace

std::vector<Ids> cut_line(const Ids& ids, const Vocabulary& vocabulary, int64_t longest) {
  const auto most = static_cast<size_t>(longest);
  if (ids.empty()) return {};
  if (ids.size() <= most) return {ids};
  const std::vector<bool> word_starts = vocabulary.word_starts(ids);
  std::vector<Ids> parts;
  for (size_t begin = 0; begin < ids.size();) {
    const size_t end = end_of_part(ids, begin, most, word_starts, vocabulary);
    parts.emplace_back(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                       ids.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  return parts;
}

}  // namespace heed
