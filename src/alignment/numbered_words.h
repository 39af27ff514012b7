// The words of sentence pairs as numbers, one for each form (see word_form.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

class NumberedWords {
 public:
  // `characters` of a word count; all if 0.
  explicit NumberedWords(int characters) : characters_(characters) {}

  // New forms get the next number.
  int32_t number(std::u32string_view word);
  std::vector<int32_t> numbers(std::span<const std::u32string> words);

  int64_t size() const { return static_cast<int64_t>(forms_.size()); }
  const std::u32string& form(int32_t number) const { return forms_[static_cast<size_t>(number)]; }

 private:
  int characters_;
  std::unordered_map<std::u32string, int32_t> number_of_;
  std::vector<std::u32string> forms_;
};

using Sentence = std::span<const int32_t>;

struct NumberedPair {
  std::vector<int32_t> source, target;
};

}  // namespace heed
