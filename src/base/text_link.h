// Which bytes of a translation come from which bytes of its source.
#pragma once

#include <cstddef>
#include <vector>

namespace heed {

// Bytes of a text, from `begin` to before `end`.
struct TextRange {
  size_t begin = 0, end = 0;

  size_t size() const { return end - begin; }
  bool operator==(const TextRange&) const = default;
};

struct TextLink {
  TextRange source, target;
  bool operator==(const TextLink&) const = default;
};

// Links between the words of a text and those of its translation, in the order of the side that
// they are for. A punctuation mark is a word of its own, and so is each piece of a script that puts
// no spaces between words.
struct TextLinks {
  std::vector<TextLink> of_target;  // each target word with the source word it attends to most
  std::vector<TextLink> of_source;  // each source word with the target word that attends to it most

  bool operator==(const TextLinks&) const = default;
};

}  // namespace heed
