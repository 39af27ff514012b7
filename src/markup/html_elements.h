// What HTML's elements are to a translator.
#pragma once

#include <string_view>

namespace heed {

// They end the sentence before them and begin a new one. Elements that HTML does not know are
// inline, as in browsers.
bool is_block(std::string_view name);

// They have no end tag: <br>, <img> …
bool is_void(std::string_view name);

// Their content stays as it is: code, kbd, samp, var, pre, script, style, math, svg, textarea …
bool is_untouched(std::string_view name);

}  // namespace heed
