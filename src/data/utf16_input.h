// Converts UTF-16, which some translation memories use, to UTF-8.
#pragma once

#include <memory>

#include "heed/data/buffered_input.h"

namespace heed {

// Broken input, such as an unpaired surrogate, becomes a byte that is not UTF-8, so that later
// checks notice it.
std::unique_ptr<ByteInput> decode_utf16(BufferedInput encoded, bool big_endian);

}  // namespace heed
