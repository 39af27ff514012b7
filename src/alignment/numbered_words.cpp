#include "heed/alignment/numbered_words.h"

#include "heed/alignment/word_form.h"

namespace heed {

int32_t NumberedWords::number(std::u32string_view word) {
  const auto [found, is_new] =
      number_of_.emplace(word_form(word, characters_), static_cast<int32_t>(forms_.size()));
  if (is_new) forms_.push_back(found->first);
  return found->second;
}

std::vector<int32_t> NumberedWords::numbers(std::span<const std::u32string> words) {
  std::vector<int32_t> numbers;
  numbers.reserve(words.size());
  for (const std::u32string& word : words) numbers.push_back(number(word));
  return numbers;
}

}  // namespace heed
