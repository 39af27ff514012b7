// Decompresses zstd.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heed/data/buffered_input.h"

namespace heed {

inline constexpr std::string_view zstd_signature = "\x28\xb5\x2f\xfd";

// One or more frames, one after the other. `name` is for errors.
std::unique_ptr<ByteInput> unpack_zstd(BufferedInput packed, const std::string& name);

}  // namespace heed
