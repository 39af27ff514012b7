// The tags of a translator: words such as a domain, or the language to translate into, one of which
// it reads in front of a source.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary.h"

namespace heed {

// The most different tags that a model can be trained with.
inline constexpr size_t most_tags = 1000;

using TagIds = std::vector<int32_t>;

// What a tag is to a model: one token, ">>legal<<", if the vocabulary of its source has that. For a
// vocabulary that was there before the tag: the pieces of ">>legal<<", or those of "legal" if it
// lacks the brackets, as if they stood in the text.
class SourceTags {
 public:
  SourceTags() = default;  // of a model without tags
  // Those that it was trained with, and all that its vocabulary has as tokens. An Error if the
  // vocabulary lacks the characters of one, or if it cannot tell two of them apart.
  SourceTags(const Vocabulary& source, std::span<const std::string> trained);

  std::vector<std::string> names() const;

  // What stands in front of the source: nothing for an empty tag. ">>legal<<" is "legal", too. An
  // Error names the tags that there are if this is none of them.
  const TagIds& ids_of(std::string_view tag) const;

  // The most tokens that a tag takes.
  size_t longest() const;

 private:
  std::map<std::string, TagIds, std::less<>> ids_;
};

// The tag of a line, where each has its own, all have the same one, or there is none.
const TagIds& tag_of_line(std::span<const TagIds> tags, size_t line);

// A vocabulary with a token for each tag, after the others, which no text is split into. One that
// has a list of tokens, as those of other tools do, stays as it is.
Vocabulary with_tags(const Vocabulary& vocabulary, std::span<const std::string> tags);

// The tags of a corpus.
std::set<std::string> tags_in(const CorpusStore& corpus);

}  // namespace heed
