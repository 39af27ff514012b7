#include "heed/decoding/text_links.h"

#include <algorithm>

#include "heed/attention/word_weights.h"
#include "heed/base/characters.h"
#include "heed/base/error.h"

namespace heed {

namespace {

// What a piece says about where words end.
struct PieceShape {
  bool follows_space = false;
  bool goes_back = false;  // begins before another ends: the same character, or one that was moved
  bool is_mark = false;    // only punctuation and symbols
  bool is_unspaced = false;  // begins or ends with a character of a script without spaces
};

// Of a piece that comes after others, which end at `end` at the latest.
PieceShape shape_of(std::string_view text, TextRange piece, size_t end) {
  const std::u32string characters = characters_of(text.substr(piece.begin, piece.size()));
  const auto is_mark = [](char32_t c) { return is_punctuation(c) || is_symbol(c); };
  const bool goes_back = piece.begin < end;
  return {.follows_space = !goes_back && piece.begin > 0 && text[piece.begin - 1] == ' ',
          .goes_back = goes_back,
          .is_mark = std::ranges::all_of(characters, is_mark),
          .is_unspaced = is_written_without_spaces(characters.front()) ||
                         is_written_without_spaces(characters.back())};
}

// Numbers the words of the pieces between two spaces.
void number_words(std::span<const PieceShape> shapes, int64_t& last, std::vector<int64_t>& words) {
  size_t front = 0, back = shapes.size();
  while (front < shapes.size() && shapes[front].is_mark) ++front;
  while (back > front && shapes[back - 1].is_mark) --back;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const bool goes_on =
        i > front && i < back && !shapes[i].is_unspaced && !shapes[i - 1].is_unspaced;
    words.push_back(goes_on || shapes[i].goes_back ? last : ++last);
  }
}

std::vector<TextRange> ranges_of(std::span<const int64_t> words,
                                 std::span<const TextRange> pieces) {
  std::vector<TextRange> ranges;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (words[i] < 0 || pieces[i].size() == 0) continue;
    if (static_cast<size_t>(words[i]) == ranges.size())
      ranges.push_back(pieces[i]);
    else
      ranges.back() = {std::min(ranges.back().begin, pieces[i].begin),
                       std::max(ranges.back().end, pieces[i].end)};
  }
  return ranges;
}

}  // namespace

std::vector<int64_t> linked_words(std::string_view text, std::span<const TextRange> pieces) {
  std::vector<PieceShape> shapes;
  std::vector<size_t> places;
  size_t reached = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].size() == 0) continue;
    shapes.push_back(shape_of(text, pieces[i], reached));
    places.push_back(i);
    reached = std::max(reached, pieces[i].end);
  }
  std::vector<int64_t> of_shapes;
  int64_t last = -1;
  for (size_t begin = 0; begin < shapes.size();) {
    size_t end = begin + 1;
    while (end < shapes.size() && !shapes[end].follows_space) ++end;
    number_words(std::span(shapes).subspan(begin, end - begin), last, of_shapes);
    begin = end;
  }
  // A piece without bytes belongs to the word that follows.
  std::vector<int64_t> words(pieces.size(), -1);
  size_t next = 0;
  for (size_t i = 0; i < pieces.size() && next < places.size(); ++i) {
    words[i] = of_shapes[next];
    if (i == places[next]) ++next;
  }
  return words;
}

TextLinks link_texts(const Tensor& attention, std::string_view source,
                     std::span<const TextRange> source_pieces, std::string_view target,
                     std::span<const TextRange> target_pieces) {
  require(attention.shape().rank() == 2 &&
              attention.shape()[0] == static_cast<int64_t>(target_pieces.size()) &&
              attention.shape()[1] >= static_cast<int64_t>(source_pieces.size()),
          "link_texts: attention {} for {} target and {} source pieces", attention.shape(),
          target_pieces.size(), source_pieces.size());
  std::vector<int64_t> source_words = linked_words(source, source_pieces);
  const std::vector<int64_t> target_words = linked_words(target, target_pieces);
  const std::vector<TextRange> sources = ranges_of(source_words, source_pieces),
                               targets = ranges_of(target_words, target_pieces);
  TextLinks links;
  if (sources.empty() || targets.empty()) return links;
  source_words.resize(static_cast<size_t>(attention.shape()[1]), -1);
  const Tensor weights = word_weights(attention, target_words, source_words);
  const auto weight = [&](size_t t, size_t s) {
    return weights.matrix<float>()(static_cast<int64_t>(t), static_cast<int64_t>(s));
  };
  for (size_t t = 0; t < targets.size(); ++t) {
    size_t best = 0;
    for (size_t s = 1; s < sources.size(); ++s)
      if (weight(t, s) > weight(t, best)) best = s;
    links.of_target.push_back({sources[best], targets[t]});
  }
  for (size_t s = 0; s < sources.size(); ++s) {
    size_t best = 0;
    for (size_t t = 1; t < targets.size(); ++t)
      if (weight(t, s) > weight(best, s)) best = t;
    links.of_source.push_back({sources[s], targets[best]});
  }
  return links;
}

}  // namespace heed
