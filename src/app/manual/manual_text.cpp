#include "heed/app/manual/manual_text.h"

#include <algorithm>
#include <cctype>

#include "heed/base/text.h"

namespace heed {

namespace {

using Kind = TextBlock::Kind;

constexpr std::string_view example_word = "Example";

bool is_indented(std::string_view line) { return line.starts_with("  "); }

// Blocks in their order; blank lines between listings belong to them.
std::vector<TextBlock> blocks_of(std::string_view footer) {
  std::vector<TextBlock> blocks;
  int blank_lines = 0;
  for (const std::string& line : lines_of(footer)) {
    if (line.empty()) {
      ++blank_lines;
      continue;
    }
    const Kind kind = is_indented(line) ? Kind::listing : Kind::prose;
    const bool goes_on = !blocks.empty() && blocks.back().kind == kind &&
                         (kind == Kind::listing || blank_lines == 0);
    if (!goes_on)
      blocks.push_back({kind, ""});
    else if (kind == Kind::prose)
      blocks.back().text += ' ';
    else
      blocks.back().text.append(static_cast<size_t>(blank_lines), '\n');
    blocks.back().text += kind == Kind::listing ? line.substr(2) + '\n' : line;
    blank_lines = 0;
  }
  return blocks;
}

// "Example: do this." -> "Do this."; nothing is left of "Examples:".
std::string without_example_word(const std::string& prose) {
  const size_t start = prose.find_first_not_of("s: ", example_word.size());
  if (start == prose.npos) return "";
  std::string rest = prose.substr(start);
  rest[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(rest[0])));
  return rest;
}

bool is_example(const TextBlock& block) {
  return block.kind == Kind::listing && block.text.starts_with("$ ");
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) lines.emplace_back(take_line(text));
  return lines;
}

ManualText read_manual_text(std::string_view footer) {
  ManualText manual;
  for (const TextBlock& block : blocks_of(footer)) {
    if (is_example(block)) {
      manual.examples.push_back(block);
    } else if (block.kind == Kind::prose && block.text.starts_with(example_word)) {
      const std::string rest = without_example_word(block.text);
      if (!rest.empty()) manual.examples.push_back({Kind::prose, rest});
    } else {
      manual.description.push_back(block);
    }
  }
  return manual;
}

std::string wrap(std::string_view text, int width, const std::string& first,
                 const std::string& others) {
  std::string wrapped, line = first;
  bool is_empty = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!is_empty && display_width(line) + 1 + display_width(word) > width) {
      wrapped += line + '\n';
      line = others;
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  return wrapped + line + '\n';
}

}  // namespace heed
