// Decompresses gzip.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heed/data/buffered_input.h"

namespace heed {

inline constexpr std::string_view gzip_signature = "\x1f\x8b";

// One or more members, one after the other. `name` is for errors.
std::unique_ptr<ByteInput> unpack_gzip(BufferedInput packed, const std::string& name);

}  // namespace heed
