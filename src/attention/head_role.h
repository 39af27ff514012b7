// What a head does, in words.
#pragma once

#include <optional>
#include <string_view>

#include "heed/attention/head_statistics.h"

namespace heed {

enum class HeadRole {
  previous_word,
  next_word,
  same_word,
  aligns,
  end_of_sentence,
  start_of_sentence,
  rare_words,
  mixed,
};

std::string_view name_of(HeadRole role);  // "previous word" and so on

// The rules, of which the first that holds decides. Words are tokens here, as the model sees them.
//
//  1. Cross-attention "aligns" if its links are more right than wrong: an error rate of at most 0.5
//     where there are gold links. Where there are none, if it is sharp and goes through the source:
//     a confidence of at least 0.5 and a coverage of at least 0.6.
//  2. "previous word", "next word" or "same word", not in cross-attention: over the rows that have
//     such a key, it receives at least half of the weight, or the largest weight of at least 0.9 of
//     the rows (Voita et al., 2019, call the latter positional). If several do, the one that is the
//     largest of most rows.
//  3. "end of sentence": at least half of the weight goes to the end.
//  4. "start of sentence": at least half of the weight goes to the first key, which is the start
//     token in the decoder.
//  5. "rare words": of the rows that see tokens of which some are rarer, at least half give their
//     largest weight to the rarest.
//  6. "mixed".
HeadRole role_of(AttentionPart part, const HeadFigures& figures,
                 std::optional<double> alignment_error_rate = {});

}  // namespace heed
