// The settings of vocabularies, each with its name.
#pragma once

#include "heed/base/enum_names.h"
#include "heed/base/fields.h"
#include "heed/data/vocabulary_training.h"

namespace heed {

template <>
struct EnumNames<VocabularyKind> {
  static constexpr NamedValue<VocabularyKind> values[] = {
      {VocabularyKind::unigram, "unigram"},
      {VocabularyKind::bpe, "bpe"},
      {VocabularyKind::characters, "characters"},
      {VocabularyKind::words, "words"}};
};

// The weights of a run depend on its vocabulary, so none of these can change.
template <>
struct Fields<VocabularyConfig> {
  using Config = VocabularyConfig;
  static constexpr const char* group = "Vocabulary";
  static constexpr auto list = std::tuple(
      field("vocabulary", &Config::size, "Vocabulary size (0: chosen from the corpus)",
            {.least = 0, .most = 1'000'000, .change = Change::refused, .group = group}),
      field("vocabulary-kind", &Config::kind, "How words are split into subwords",
            {.change = Change::refused, .group = group}),
      field("tokenised", &Config::tokenised, "The text is already tokenised: keep its spaces",
            {.change = Change::refused, .group = group}),
      field("byte-fallback", &Config::byte_fallback, "Pieces for bytes, so that nothing is unknown",
            {.change = Change::refused, .flag = false}),
      field("most-bytes", &Config::most_bytes, "The most text that unigram learns from",
            {.least = 1, .change = Change::refused, .flag = false}),
      field("most-words", &Config::most_words, "The most distinct words that others learn from",
            {.least = 1, .change = Change::refused, .flag = false}),
      no_setting(&Config::running),  // follows from the task
      no_setting(&Config::seed));    // that of the run
};

}  // namespace heed
