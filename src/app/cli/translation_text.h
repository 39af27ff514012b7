// Translations as `heed translate` writes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heed/decoding/translator.h"

namespace heed {

enum class AlignmentFormat { none, pharaoh, soft };

struct TranslationFormat {
  bool scores = false;  // in front, with a tab
  bool json = false;    // an object for each line
  bool n_best = false;  // several translations of each line
  AlignmentFormat alignment = AlignmentFormat::none;
};

// Soft alignments grow with the square of a line: up to about 2,000 words they are written, beyond
// that they are left out.
bool has_few_weights(const WordAlignment& alignment);

// The text for a line of input, without a line end; `number` counts the lines from 0. With n_best
// it is a line for each translation, as Moses and Marian write them: "number ||| translation |||
// score". An alignment comes last, after " ||| ": "0-0 1-2", source word and target word; or the
// weights of each target word, words separated by spaces and weights by commas.
std::string translation_text(std::span<const Translation> ranked, int64_t number,
                             std::string_view source, const TranslationFormat& format);

}  // namespace heed
