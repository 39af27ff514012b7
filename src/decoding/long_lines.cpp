#include "heed/decoding/long_lines.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace heed {

namespace {

using Ids = std::vector<int32_t>;

constexpr std::array<std::string_view, 9> sentence_ends = {".", "!", "?", "…", "。", "！", "？", "।", "؟"};
constexpr std::array<std::string_view, 9> quotes = {"\"", "'", ")", "]", "”", "’", "»", "」", "』"};

template <size_t count>
bool strip_any(std::string_view& text, const std::array<std::string_view, count>& ends) {
  for (const std::string_view end : ends)
    if (text.ends_with(end)) {
      text.remove_suffix(end.size());
      return true;
    }
  return false;
}

// "end.", "end!”", "end?)": with or without what closes behind it.
bool ends_sentence(std::string_view piece) {
  while (strip_any(piece, quotes)) {
  }
  return strip_any(piece, sentence_ends);
}

// Where the part that begins at `begin` should end for all parts to be about equal: behind a sentence, if one
// ends within reach, otherwise before a word, otherwise anywhere.
size_t end_of_part(const Ids& ids, size_t begin, size_t most, const Vocabulary& vocabulary) {
  const size_t left = ids.size() - begin, parts = (left + most - 1) / most;
  const size_t aim = begin + (left + parts - 1) / parts;
  const auto distance = [&](size_t end) { return end > aim ? end - aim : aim - end; };
  size_t best = begin;
  for (size_t end = begin + most / 4 + 1; end <= begin + most; ++end)
    if (vocabulary.starts_word(ids[end]) && ends_sentence(vocabulary.piece(ids[end - 1])) &&
        (best == begin || distance(end) < distance(best)))
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
