// Splits text into words, as published scores do.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

enum class Tokeniser {
  none,           // the text is tokenised already
  v13a,           // the tokeniser of mteval-v13a: ASCII punctuation, but not inside numbers
  international,  // of mteval-v14: punctuation and symbols of any script
  chinese,        // every Chinese character is a word; the rest as v13a
  character,      // every character is a word
};

inline constexpr std::array every_tokeniser = {Tokeniser::none, Tokeniser::v13a,
                                               Tokeniser::international, Tokeniser::chinese,
                                               Tokeniser::character};

std::string_view name_of(Tokeniser tokeniser);  // "none", "13a", "intl", "zh", "char"

std::vector<std::u32string> tokenise(Tokeniser tokeniser, std::u32string_view text);

}  // namespace heed
