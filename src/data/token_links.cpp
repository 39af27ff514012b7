#include "heed/data/token_links.h"

#include <algorithm>

#include "heed/base/characters.h"
#include "heed/base/text.h"
#include "heed/metrics/alignment_error.h"

namespace heed {

namespace {

constexpr char32_t replacement_character = 0xFFFD;

using Tokens = std::vector<int32_t>;

// The tokens of each word. One that is nothing but space belongs to the word that follows.
std::vector<Tokens> tokens_of_words(std::string_view text, const Vocabulary& vocabulary) {
  const std::vector<TextRange> words = spaced_words(text), pieces = vocabulary.encoded_ranges(text);
  std::vector<Tokens> tokens(words.size());
  TextRange range;
  for (size_t i = pieces.size(); i-- > 0;) {
    if (pieces[i].size() > 0) range = pieces[i];
    const auto first =
        std::ranges::upper_bound(words, range.begin, {}, [](TextRange word) { return word.end; });
    for (auto word = first; word != words.end() && word->begin < range.end; ++word)
      tokens[static_cast<size_t>(word - words.begin())].push_back(static_cast<int32_t>(i));
  }
  return tokens;
}

}  // namespace

std::vector<TextRange> spaced_words(std::string_view text) {
  std::vector<TextRange> words;
  bool inside = false;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t begin = text.size() - rest.size();
    const bool goes_on = inside;
    inside = !is_space(take_character(rest).value_or(replacement_character));
    if (!inside) continue;
    if (!goes_on) words.push_back({begin, begin});
    words.back().end = text.size() - rest.size();
  }
  return words;
}

std::vector<TokenLink> token_links(const PairView& pair, const Vocabulary& source,
                                   const Vocabulary& target) {
  const std::vector<Tokens> sources = tokens_of_words(pair.source, source),
                            targets = tokens_of_words(pair.target, target);
  std::vector<TokenLink> links;
  for (const auto& [from, to] : parse_gold_links(pair.links).possible) {
    if (from >= std::ssize(sources) || to >= std::ssize(targets)) continue;
    for (const int32_t target_token : targets[static_cast<size_t>(to)])
      for (const int32_t source_token : sources[static_cast<size_t>(from)])
        links.push_back({target_token, source_token});
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

}  // namespace heed
