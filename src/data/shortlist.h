// Which target words can be in the translation of which source words: with it, a model scores only
// some hundreds of words for a sentence instead of its whole vocabulary.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace heed {

// Ids are those of heed's vocabularies.
struct ShortlistLists {
  std::vector<int32_t> frequent;  // target words that are candidates of every sentence
  // The candidates of source word s are targets[offsets[s]] to targets[offsets[s + 1] - 1].
  std::vector<int64_t> offsets;
  std::vector<int32_t> targets;
  bool with_source = false;  // the source words are candidates themselves: a shared vocabulary
};

class Shortlist {
 public:
  // An Error that begins with `name` if the lists do not fit each other or the vocabularies.
  Shortlist(ShortlistLists lists, int64_t source_vocabulary, int64_t target_vocabulary,
            std::string_view name = "shortlist");

  // The candidates for a sentence, sorted: the end of the sentence, the frequent ones, those of its
  // words, and `more`. There are a multiple of 8, as in Marian: the lowest ids fill up.
  std::vector<int32_t> candidates(std::span<const int32_t> source,
                                  std::span<const int32_t> more = {}) const;

  const ShortlistLists& lists() const { return lists_; }

 private:
  ShortlistLists lists_;
  int64_t target_vocabulary_;
};

}  // namespace heed
