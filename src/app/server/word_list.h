// Words and their links as JSON: with places in characters, whatever the encoding of the reader.
#pragma once

#include <string_view>
#include <vector>

#include "heed/base/json.h"
#include "heed/base/text_link.h"

namespace heed {

// The words that the links are between, in the order of the text.
std::vector<TextRange> source_words(const TextLinks& links);
std::vector<TextRange> target_words(const TextLinks& links);

// [{"text", "start", "end"}], where start and end count characters.
OrderedJsonValue words_json(std::string_view text, const std::vector<TextRange>& words);

// [[source word, target word]] for each target word that has a source word, counted from 0.
OrderedJsonValue alignment_json(const TextLinks& links);

}  // namespace heed
