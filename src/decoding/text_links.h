// From attention weights between pieces to links between bytes of a text and of its translation.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "heed/base/text_link.h"
#include "heed/tensor/tensor.h"

namespace heed {

// The word of each piece of a text, from 0 on; -1 for pieces without bytes at its end. Words are
// what stands between spaces, except that punctuation at either end of it is a word of its own, and
// so is each piece of a script without spaces between words.
std::vector<int64_t> linked_words(std::string_view text, std::span<const TextRange> pieces);

// attention: (target pieces, at least as many as source pieces); what is beyond them, such as the
// end of the sentence, is not linked.
TextLinks link_texts(const Tensor& attention, std::string_view source,
                     std::span<const TextRange> source_pieces, std::string_view target,
                     std::span<const TextRange> target_pieces);

}  // namespace heed
