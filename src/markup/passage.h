// A passage: text between two places where sentences must end, with the tags that stand in it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text_link.h"
#include "heed/markup/markup_kind.h"
#include "heed/markup/sentences.h"

namespace heed {

// The elements of a passage that a place is in, the outermost first, by their numbers.
using Stack = std::vector<uint32_t>;

// An inline element that begins and ends in the passage and has text.
struct PassageElement {
  std::string_view start, end;  // its tags
  Stack outer;                  // what it is in
};

enum class PartKind : uint8_t {
  text,       // words and punctuation
  space,      // any number of blanks and line ends, which are one blank to the model
  item,       // something without words that stands between them: an image, a comment …
  untouched,  // an element whose text the model sees, but does not change
};

struct PassagePart {
  PartKind kind = PartKind::text;
  TextRange text;                // in Passage::text, of no bytes for what the model does not see
  std::string_view raw;          // as it is written; empty if it is part of something longer
  uint32_t stack = 0;            // in Passage::stacks
  bool separates_words = false;  // an item, even if there is no space around it
  bool space_before = false, space_after = false;  // of items and untouched elements
};

// Text that must come out as it went in.
struct FixedText {
  TextRange text;  // in Passage::text
  std::string output;
  uint32_t stack = 0;
  bool is_placeholder = true;  // otherwise an untouched element
  bool space_before = false, space_after = false;
};

struct PassageSentence {
  TextRange text;                       // in Passage::text
  size_t first_part = 0, end_part = 0;  // what is placed with it; the parts between are space
  std::vector<FixedText> fixed = {};
  bool has_words = false;  // besides what is fixed
};

struct Passage {
  MarkupKind kind = MarkupKind::text;
  std::string text;  // what a model reads: references decoded, each space one blank or line end
  std::vector<PassagePart> parts;
  std::vector<PassageElement> elements;
  std::vector<Stack> stacks = {Stack()};
  std::vector<PassageSentence> sentences;
};

// Whether a text has more than space, digits, punctuation and symbols.
bool has_words(std::string_view text);

// Whether the line ends of a passage may end sentences.
enum class LineEnds : uint8_t { kept, like_spaces };

// Makes a passage of what is read from left to right. All views must outlive it.
class PassageBuilder {
 public:
  PassageBuilder(MarkupKind kind, LineEnds lines) : lines_(lines) { passage_.kind = kind; }

  bool empty() const { return passage_.parts.empty(); }
  void add_text(std::string_view raw);
  void add_item(std::string_view raw, bool separates_words);
  // `plain` is what the model reads; not empty.
  void add_untouched(std::string_view raw, std::string_view plain);
  uint32_t open(std::string_view start_tag);
  void close(uint32_t element, std::string_view end_tag);

  Passage finish(SentenceSplit split, const std::string& language) &&;

 private:
  void add(PassagePart part);
  void add_space(std::string_view raw);
  void set_stack(const Stack& stack);

  Passage passage_;
  LineEnds lines_;
  std::map<Stack, uint32_t> numbers_ = {{Stack(), 0}};  // of the stacks so far
  uint32_t stack_ = 0;
  bool space_since_content_ = false;
  size_t last_content_ = 0;  // the part with the last content, counted from 1; 0: none yet
};

}  // namespace heed
