// Text as characters, and what Unicode says about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// UTF-8 to characters and back; bytes that are not UTF-8 become U+FFFD.
std::u32string characters_of(std::string_view text);
std::string text_of(std::u32string_view characters);

bool is_space(char32_t character);
bool is_punctuation(char32_t character);  // category P
bool is_symbol(char32_t character);       // category S
bool is_number(char32_t character);       // category N
// None of these: a letter, or a mark.
bool is_part_of_word(char32_t character);
// Of a script that puts no spaces between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
bool is_written_without_spaces(char32_t character);

// In any language: a capital sigma that ends a word becomes ς, İ becomes i and a dot.
std::u32string lowercase(std::u32string_view text);

// The words between spaces.
std::vector<std::u32string_view> split_at_spaces(std::u32string_view text);

}  // namespace heed
