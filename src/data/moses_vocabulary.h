// The vocabulary of a model that was trained on what Moses's tokeniser and byte-pair encoding make
// of text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heed/data/moses_settings.h"
#include "heed/data/vocabulary.h"

namespace heed {

// The ids follow the order of the tokens, such as "un@@" and "seen", which must differ. They are
// the words of a SentencePiece model that also holds the settings, so that it is stored, sealed and
// compared like the others.
Vocabulary moses_vocabulary(std::span<const std::string> tokens, const MosesSettings& settings,
                            std::string_view name = "vocabulary");

}  // namespace heed
