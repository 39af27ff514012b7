// Text as SentencePiece splits it: with normalised, visible spaces.
#pragma once

#include <string>
#include <string_view>

#include "heed/data/sentencepiece_model.h"

namespace heed {

// For models that keep all characters. Bytes that are not UTF-8 become U+FFFD.
std::string piece_text(std::string_view text, const ModelNormalisation& normalisation);

}  // namespace heed
