// Terms whose translations are prescribed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/base/text_link.h"
#include "heed/data/line_reader.h"

namespace heed {

// Any form of the source stands for the term, and any form of the target translates it:
// "house|houses" and "Haus|Hauses|Häuser".
struct GlossaryTerm {
  std::vector<std::string> source, target;
};

// A term of a glossary in a text.
struct FoundTerm {
  size_t term;                    // its place in the glossary
  std::vector<TextRange> places;  // bytes of the text
};

class Glossary {
 public:
  // A line for each term: its forms, a tab, and those of its translation, between "|". Further
  // columns and empty lines are ignored. Lines with the same source give one term the forms of all.
  // An Error names the file and the line that is wrong.
  static Glossary read(LineReader& lines);
  static Glossary load(const std::string& path);

  const std::vector<GlossaryTerm>& terms() const { return terms_; }
  uint32_t checksum() const;

  // The terms of a text, in their order, each once: whole words, the longest where several begin,
  // and none within another. A form without capitals also stands for one with them.
  std::vector<FoundTerm> terms_in(std::string_view text) const;

  // Whether the text has one of the target's forms, as it is and as whole words.
  bool is_translated(size_t term, std::string_view text) const;

 private:
  // The place of a form among those of its source, which may be written in several ways.
  struct Form {
    std::u32string characters;
    size_t term;
  };

  void add(std::string_view source, std::string_view target, const LineReader& lines);
  const Form* form_of(std::u32string_view words) const;

  std::vector<GlossaryTerm> terms_;
  std::unordered_map<std::u32string, std::vector<Form>> forms_;  // by their lower case
  std::unordered_map<std::string, size_t> by_source_;            // terms
  size_t longest_ = 0;                                           // form, in characters
};

// Whether a word may begin or end between two characters.
bool is_word_border(char32_t before, char32_t after);

}  // namespace heed
