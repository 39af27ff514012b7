// The classes of characters that the tokeniser of Moses goes by, as sacremoses has them: those of
// older versions of Unicode, without letters outside the first plane and without the characters of
// Chinese and Korean.
#pragma once

#include <string_view>

namespace heed::moses {

bool is_letter(char32_t character);  // also signs that are written with letters
bool is_digit(char32_t character);
bool is_number(char32_t character);  // also fractions, Roman numerals and the like
bool is_lowercase(char32_t character);
bool is_currency(char32_t character);

// Characters that are letters only in this language: of Chinese, Japanese or Korean.
bool is_letter_of(std::string_view language, char32_t character);

// Signs of Indian and related scripts that the tokeniser, but not the detokeniser, takes for
// letters: viramas and nuktas.
bool is_joining_sign(char32_t character);

// Written without spaces between words, for the detokeniser.
bool is_cjk(char32_t character);

}  // namespace heed::moses
