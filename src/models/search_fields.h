// How a model is searched with, each setting with its name.
#pragma once

#include <tuple>

#include "heed/base/fields.h"
#include "heed/models/search_defaults.h"

namespace heed {

template <>
struct Fields<SearchDefaults> {
  using Search = SearchDefaults;
  static constexpr auto list = std::tuple(
      field("beam", &Search::beam, "Beam size"),
      field("length-penalty", &Search::length_penalty,
            "Power of the length that scores are divided by", {.least = 0, .most = 10}),
      field("word-penalty", &Search::word_penalty, "What each token costs",
            {.least = -1e6, .most = 1e6}),
      field("narrowing", &Search::narrowing, "Hypotheses that end leave their place empty"),
      field("max-ratio", &Search::max_ratio, "Most target tokens per source token",
            {.least = 0, .most = 1e6}),
      field("never-unknown", &Search::never_unknown, "The unknown token is not allowed"),
      field("alignment-layer", &Search::alignment_layer, "Decoder layer that aligns words"),
      field("alignment-head", &Search::alignment_head, "Head that aligns words"));
};

}  // namespace heed
