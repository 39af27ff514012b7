// Turns UTF-16, which some translation memories are written in, into UTF-8.
#pragma once

#include <memory>

#include "heed/data/buffered_input.h"

namespace heed {

// What is broken, such as a surrogate without a partner, becomes a byte that is not UTF-8, so that
// it is noticed by whoever looks for such bytes.
std::unique_ptr<ByteInput> decode_utf16(BufferedInput encoded, bool big_endian);

}  // namespace heed
