// Character references: &amp;, &#233;, &eacute;.
#pragma once

#include <string>
#include <string_view>

#include "heed/markup/markup_kind.h"

namespace heed {

// Takes one character, or one reference and all it stands for, off the front of `text`, which is
// not empty, and appends what it means. As browsers read HTML: names without a semicolon where they
// are allowed, numbers outside of Unicode as U+FFFD. In XML only its five names and numbers; in
// text nothing is a reference.
void take_decoded(std::string_view& text, MarkupKind kind, std::string& decoded);

std::string decode_entities(std::string_view text, MarkupKind kind);

// Text that means itself when it is read as markup of that kind. A no-break space becomes &nbsp;
// in HTML, as people write it.
std::string encode_entities(std::string_view text, MarkupKind kind);

}  // namespace heed
