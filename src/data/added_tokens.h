// Tokens that a tokenizer finds in the text itself, before it is split into words: "[MASK]".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct AddedToken {
  std::u32string text;  // not empty
  int32_t id = 0;
  bool whole_word = false;  // does not count inside a word
  bool takes_spaces_before = false;
  bool takes_spaces_after = false;
};

class AddedTokens {
 public:
  // Of two with the same text, the first counts.
  void add(AddedToken token);

  // A text is parts between tokens, some of them empty, and tokens: part 0, token 0, part 1, …
  struct Split {
    std::vector<std::u32string_view> parts;  // one more than there are tokens
    std::vector<int32_t> tokens;
  };
  // From left to right, the longest token at each place.
  Split split(std::u32string_view text) const;

 private:
  const AddedToken* longest_at(std::u32string_view text, size_t place) const;

  // By the first character, the longest first.
  std::map<char32_t, std::vector<AddedToken>> tokens_;
};

}  // namespace heed
