// Text in SVG documents.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// Escapes text for a document. XML allows no control characters, nor the last two code points of
// the first plane.
std::string svg_escape(std::string_view text);

}  // namespace heed
