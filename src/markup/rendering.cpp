#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "heed/markup/html_tokens.h"
#include "heed/markup/placement.h"

namespace heed {

namespace {

// Tags of all elements from one piece to the next, in the order in which they are written.
class Renderer {
 public:
  explicit Renderer(const Passage& passage)
      : elements_(passage.elements), opened_(passage.elements.size()) {}

  void move_to(const Stack& stack) {
    const auto [kept, next] = std::ranges::mismatch(open_, stack);
    for (auto closing = open_.end(); closing != kept;) text_ += elements_[*--closing].end;
    for (auto opening = next; opening != stack.end(); ++opening) open(*opening);
    open_ = stack;
  }
  void write(std::string_view text) { text_ += text; }
  std::string finish() && {
    move_to({});
    return std::move(text_);
  }

 private:
  void open(uint32_t element) {
    const std::string_view tag = elements_[element].start;
    if (opened_[element])
      text_ += without_id(tag);
    else
      text_ += tag;
    opened_[element] = true;
  }

  const std::vector<PassageElement>& elements_;
  std::vector<bool> opened_;
  Stack open_;
  std::string text_;
};

// The bytes of tags that are written.
size_t count_tag_bytes(const Passage& passage, const std::vector<Placed>& pieces) {
  size_t bytes = 0;
  const Stack* open = nullptr;
  const Stack nothing;
  for (const Placed& piece : pieces) {
    const Stack& before = open == nullptr ? nothing : *open;
    const auto [kept, next] = std::ranges::mismatch(before, piece.stack);
    for (auto element = next; element != piece.stack.end(); ++element)
      bytes += passage.elements[*element].start.size() + passage.elements[*element].end.size();
    open = &piece.stack;
  }
  return bytes;
}

}  // namespace

std::string render(const Passage& passage, const std::vector<Placed>& pieces) {
  size_t own_bytes = passage.text.size();
  for (const PassageElement& element : passage.elements)
    own_bytes += element.start.size() + element.end.size();
  // The words of a huge tag may be apart a thousand times, and a page grow by as much. Then all
  // elements are around all words, each once.
  constexpr size_t free_bytes = 65536, growth = 8;
  const bool is_too_much = count_tag_bytes(passage, pieces) > free_bytes + growth * own_bytes;
  Renderer renderer(passage);
  if (is_too_much) {
    Stack all(passage.elements.size());
    std::iota(all.begin(), all.end(), 0);
    renderer.move_to(all);
  }
  for (const Placed& piece : pieces) {
    if (!is_too_much) renderer.move_to(piece.stack);
    renderer.write(piece.output);
  }
  return std::move(renderer).finish();
}

}  // namespace heed
