// Punctuation as the models of Moses's users expect it: straight quotes, plain dashes, no spaces
// before marks.
#pragma once

#include <string_view>

#include "heed/data/traced_text.h"

namespace heed::moses {

// What MosesPunctNormalizer of sacremoses makes of a text, by default.
TracedText normalised(TracedText text, std::string_view language);

}  // namespace heed::moses
