// Tells text from files given by mistake: a picture, an archive, another encoding.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

// What to do about bytes that do not look like text in UTF-8.
struct TextCheck {
  bool refuse = true;
  std::string advice = {};  // follows the sentence, e.g. "; --force reads it anyway"
};

// How many bytes of a file are examined.
inline constexpr size_t text_sample_size = size_t{1} << 16;

// What the beginning of a file looks like, such as "a PNG picture"; nothing if it looks like text
// in UTF-8, or in UTF-16 with a byte order mark. A few bytes that are not UTF-8 do not matter.
std::optional<std::string_view> what_it_looks_like(std::string_view sample);

}  // namespace heed
