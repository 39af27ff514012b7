// Links between words as links between the tokens that a model sees.
#pragma once

#include <string_view>
#include <vector>

#include "heed/base/text_link.h"
#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary.h"
#include "heed/tensor/token_link.h"

namespace heed {

// The words that links count: what stands between spaces of any kind.
std::vector<TextRange> spaced_words(std::string_view text);

// Each token of a word is linked with each token of a word that it is linked with. Sorted, each
// once; tokens are those of encode(), counted from 0. None if they cannot be traced back to bytes.
std::vector<TokenLink> token_links(const PairView& pair, const Vocabulary& source,
                                   const Vocabulary& target);

}  // namespace heed
