// Turns UTF-16, which some translation memories are written in, into UTF-8.
#pragma once

#include <memory>

#include "heed/data/buffered_input.h"

namespace heed {

// Surrogates without a partner become U+FFFD.
std::unique_ptr<ByteInput> decode_utf16(BufferedInput encoded, bool big_endian);

}  // namespace heed
