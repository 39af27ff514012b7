// How a document is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/markup/markup_kind.h"
#include "heed/markup/sentences.h"

namespace heed {

struct DocumentOptions {
  MarkupKind kind = MarkupKind::text;
  std::string language = {};  // of the source, such as "en" or "de-AT"; may be unknown
  // By default punctuation and, in plain text, line ends.
  std::optional<SentenceSplit> split = {};

  // Names of elements of HTML and XML: whose content stays as it is, at which sentences end, and
  // at which they do not.
  std::vector<std::string> ignore_tags = {}, splitting_tags = {}, non_splitting_tags = {};
  // In HTML: whether attributes that people read (attribute_texts.h) are translated, too.
  bool attributes = false;
  // In XML: whether sentences also end at elements that never stand beside text.
  bool outline_detection = true;

  SentenceSplit chosen_split() const {
    return split.value_or(kind == MarkupKind::text ? SentenceSplit::punctuation_and_newlines
                                                   : SentenceSplit::punctuation);
  }
};

}  // namespace heed
