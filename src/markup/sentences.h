// Where sentences begin and end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text_link.h"

namespace heed {

enum class SentenceSplit {
  none,                      // the text is one sentence
  punctuation_and_newlines,  // every line ends a sentence
  punctuation,               // a line end is a space like any other
};

// The sentences of a text, in order, without the space around them: what lies before, between and
// after them is nothing but space. Sentences end by the rules of Unicode and the abbreviations of
// the language, such as "en", which may be empty or unknown. Bytes that are not UTF-8 are letters
// like any other. Thread-safe.
std::vector<TextRange> find_sentences(std::string_view text, SentenceSplit split,
                                      const std::string& language);

}  // namespace heed
