#include "heed/data/word_counts.h"

#include <algorithm>
#include <unordered_set>

#include "heed/base/text.h"
#include "heed/base/utf8_bytes.h"

namespace heed {

namespace {

enum Purpose : uint64_t { choice_of_sentence, choice_of_count };

// One of a number of heads and tails that are thrown at once.
bool is_heads(uint64_t throws, int index) { return ((throws >> index) & 1) != 0; }

uint64_t throws_for(RandomKey key, Purpose purpose, uint64_t number) {
  const RandomKey word = derive_key(derive_key(key, purpose), number);
  return (uint64_t{word.high} << 32) | word.low;
}

// Of `count` heads or tails the heads, or nearly so where there are many.
int64_t half_of(int64_t count, uint64_t throws) {
  return count / 2 + (count % 2 != 0 && is_heads(throws, 0) ? 1 : 0);
}

}  // namespace

void WordCounts::add(std::string_view sentence) {
  const uint64_t throws = throws_for(key_, choice_of_sentence, static_cast<uint64_t>(sentences_++));
  bool is_counted = true;
  for (int i = 0; i < halvings_; ++i) is_counted = is_counted && is_heads(throws, i % 64);
  characters_ += count_characters(sentence);
  while (!sentence.empty()) {
    const size_t length = std::min(sentence.find(' '), sentence.size());
    if (length > 0) ++words_;
    if (length > 0 && is_counted) count(sentence.substr(0, length));
    sentence.remove_prefix(std::min(length + 1, sentence.size()));
  }
}

void WordCounts::count(std::string_view word) {
  if (const auto found = counts_.find(word); found != counts_.end()) {
    ++found->second;
    return;
  }
  while (static_cast<int64_t>(counts_.size()) >= most_words_) forget_half();
  counts_.emplace(word, 1);
}

void WordCounts::forget_half() {
  ++halvings_;
  const RandomKey key = derive_key(key_, static_cast<uint64_t>(halvings_));
  for (auto& [word, count] : counts_)
    count = half_of(count, throws_for(key, choice_of_count, Hash()(word)));
  std::erase_if(counts_, [](const auto& entry) { return entry.second == 0; });
}

TextSize WordCounts::size() const {
  std::unordered_set<char32_t> distinct;
  for (const auto& [word, count] : counts_)
    for (std::string_view rest = word; !rest.empty();)
      if (const std::optional<char32_t> character = take_character(rest))
        distinct.insert(*character);
  return {.words = words_,
          .distinct_words = static_cast<int64_t>(counts_.size()),
          .characters = characters_,
          .distinct_characters = static_cast<int64_t>(distinct.size())};
}

std::vector<std::pair<std::string, int64_t>> WordCounts::counts() const {
  std::vector<std::pair<std::string, int64_t>> sorted(counts_.begin(), counts_.end());
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace heed
