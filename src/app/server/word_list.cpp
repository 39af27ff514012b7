#include "heed/server/word_list.h"

#include <algorithm>
#include <array>

#include "heed/base/utf8_bytes.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

void sort_and_unite(std::vector<TextRange>& words) {
  std::ranges::sort(words, {}, &TextRange::begin);
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

size_t place_of(const TextRange& word, const std::vector<TextRange>& words) {
  return static_cast<size_t>(std::ranges::lower_bound(words, word.begin, {}, &TextRange::begin) -
                             words.begin());
}

}  // namespace

std::vector<TextRange> source_words(const TextLinks& links) {
  std::vector<TextRange> words;
  for (const TextLink& link : links.of_source) words.push_back(link.source);
  for (const TextLink& link : links.of_target) words.push_back(link.source);
  sort_and_unite(words);
  return words;
}

std::vector<TextRange> target_words(const TextLinks& links) {
  std::vector<TextRange> words;
  for (const TextLink& link : links.of_target) words.push_back(link.target);
  for (const TextLink& link : links.of_source) words.push_back(link.target);
  sort_and_unite(words);
  return words;
}

Json words_json(std::string_view text, const std::vector<TextRange>& words) {
  Json list = Json::array();
  int64_t at = 0;
  size_t counted = 0;
  for (const TextRange& word : words) {
    at += count_characters(text.substr(counted, word.begin - counted));
    const std::string_view found = text.substr(word.begin, word.size());
    const int64_t end = at + count_characters(found);
    list.push_back(json_object<Json>({{"text", found}, {"start", at}, {"end", end}}));
    at = end;
    counted = word.end;
  }
  return list;
}

Json alignment_json(const TextLinks& links) {
  const std::vector<TextRange> sources = source_words(links), targets = target_words(links);
  Json list = Json::array();
  for (const TextLink& link : links.of_target)
    list.push_back(std::array{place_of(link.source, sources), place_of(link.target, targets)});
  return list;
}

}  // namespace heed
