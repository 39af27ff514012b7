// What a translation must contain exactly as its source does.
#pragma once

#include <string_view>
#include <vector>

#include "heed/base/text_link.h"

namespace heed {

// The placeholders of a text, in order: {name}, {0:>8}, {{name}}, ${x}, %s, %-5.2f, %1$s, %(n)d,
// %{name}, %name%, $(name), URLs and e-mail addresses. A "%" that ends a number, as in "50 % of"
// and "100% sure", is none, and neither are braces around several words.
std::vector<TextRange> find_placeholders(std::string_view text);

}  // namespace heed
