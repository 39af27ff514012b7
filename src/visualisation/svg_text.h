// Text in SVG documents.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// Text made safe for a document. XML knows no control characters, nor the last two characters of
// the first plane.
std::string svg_escape(std::string_view text);

}  // namespace heed
