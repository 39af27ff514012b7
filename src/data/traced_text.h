// Characters that remember where they came from while a text is rewritten.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text_link.h"

namespace heed {

// A text of characters, each with its origin: the bytes of another text that it stands for, or
// none if it was put in.
class TracedText {
 public:
  TracedText() = default;
  // Bytes that are not UTF-8 become U+FFFD.
  explicit TracedText(std::string_view text);

  size_t size() const { return characters_.size(); }
  bool empty() const { return characters_.empty(); }
  char32_t operator[](size_t at) const { return characters_[at]; }
  const std::u32string& characters() const { return characters_; }
  TextRange origin(size_t at) const { return origins_[at]; }
  // From the first to the last byte that characters in [begin, end) stand for, spaces left out.
  TextRange origin(size_t begin, size_t end) const;

  void push(char32_t character, TextRange origin = {});
  void push(std::u32string_view characters, TextRange origin = {});
  void push(const TracedText& from, size_t begin, size_t end);

  TracedText part(size_t begin, size_t end) const;
  // Without space at either end.
  TracedText stripped() const;

  // Every occurrence of `from` becomes `to`, from left to right. A character of `to` that is also
  // in `from` keeps its origin; another stands for all that it replaces.
  void replace(std::u32string_view from, std::u32string_view to);
  // Runs of " " become one.
  void join_blanks();

 private:
  std::u32string characters_;
  std::vector<TextRange> origins_;
};

}  // namespace heed
