// What a model is asked to translate: a sentence of a passage, with or without what must not
// change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/markup/passage.h"

namespace heed {

// What a model says, and where its words come from.
struct TranslatedSentence {
  std::string text;
  TextLinks links = {};
};

// Something that the model does not see, and that comes back next to the words it stood at.
struct Insertion {
  size_t at = 0;  // in the request
  std::string_view output;
  uint32_t stack = 0;
  bool space_before = false, space_after = false;
  bool word_before = false, word_after = false;  // which it touches
};

struct SentenceRequest {
  std::string text;
  std::vector<uint32_t> stacks;  // of each byte, in Passage::stacks
  std::vector<Insertion> insertions;
  // What the model sees and should copy: in `text`, and the fixed text of the sentence.
  struct Copied {
    TextRange text;
    const FixedText* fixed;
  };
  std::vector<Copied> copied;

  // Whether its translation needs links.
  bool needs_links() const;
};

enum class FixedTexts { shown, cut_out };

// The passage must outlive it.
SentenceRequest make_request(const Passage& passage, const PassageSentence& sentence,
                             FixedTexts fixed);

// Where the fixed texts of a request are in its translation, in the order of `copied`. Nothing
// unless all of them are there, exactly as often as in the request, and no placeholder besides.
std::optional<std::vector<TextRange>> find_copies(const SentenceRequest& request,
                                                  const TranslatedSentence& translation);

}  // namespace heed
