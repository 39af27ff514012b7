// What each tag of a document is to a translator.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/markup/document_options.h"
#include "heed/markup/html_tokens.h"

namespace heed {

enum class TagRole : uint8_t {
  text,
  open,  // of an inline element that has an end tag in the same passage
  close,
  item,       // it goes with the words around it
  untouched,  // an inline element that stays as it is, with all its tokens up to `last`
  boundary,   // sentences end here
};

struct Tag {
  HtmlToken token;
  TagRole role = TagRole::text;
  size_t partner = 0;  // of open and close: the other one
  size_t last = 0;     // the last of the tokens that it stands for
};

// Whether a tag of HTML says that its element stays as it is: by translate="no", or by the class
// "notranslate".
bool is_marked_untouched(std::string_view tag);

// Of every token. Those that an untouched element or a boundary swallows are skipped by `last`.
std::vector<Tag> find_roles(std::string_view text, const DocumentOptions& options);

}  // namespace heed
