// Text to words as Moses's tokeniser splits it: marks stand alone, but full stops stay with
// abbreviations and numbers keep their commas.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "heed/data/traced_text.h"

namespace heed::moses {

// What MosesTokenizer of sacremoses makes of a text, by default, with XML's characters escaped:
// "&apos;s". Thread-safe.
class Tokeniser {
 public:
  // The prefixes are words that keep the full stop after them, as in the files of Moses: "Dr", or
  // "No #NUMERIC_ONLY#" for one that keeps it before a number.
  Tokeniser(std::string language, const std::vector<std::string>& prefixes);

  std::vector<TracedText> words(TracedText text) const;

 private:
  bool is_letter(char32_t character) const;
  bool is_alphanumeric(char32_t character) const;
  TracedText with_separate_marks(const TracedText& text) const;
  TracedText with_separate_apostrophes(TracedText text) const;
  bool keeps_stop(const std::vector<TracedText>& words, size_t at) const;
  std::vector<TracedText> with_separate_stops(const TracedText& text) const;

  std::string language_;
  std::unordered_set<std::u32string> prefixes_, prefixes_of_numbers_;
};

}  // namespace heed::moses
