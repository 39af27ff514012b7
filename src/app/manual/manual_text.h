// The text below the flags in a command's help, taken apart: prose, listings and examples.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct TextBlock {
  // A paragraph as one line, or lines to be shown as they are, without their indentation.
  enum class Kind { prose, listing } kind;
  std::string text;

  bool operator==(const TextBlock&) const = default;
};

struct ManualText {
  std::vector<TextBlock> description, examples;
};

// Indented lines are listings. Those that begin with a "$ " are examples, together with the
// indented paragraphs that follow, and with a paragraph before them that begins with "Example".
ManualText read_manual_text(std::string_view footer);

// Broken between words, so that lines have at most `width` columns where that is possible. The
// first line begins with `first`, the others with `others`.
std::string wrap(std::string_view text, int width, const std::string& first,
                 const std::string& others);

// The lines of a text, without their ends.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace heed
