#include "heed/server/shared_vocabularies.h"

#include <algorithm>

namespace heed {

Vocabulary SharedVocabularies::shared(const Vocabulary& vocabulary) {
  const auto known = std::ranges::find_if(
      different_, [&](const Vocabulary& other) { return other.bytes() == vocabulary.bytes(); });
  if (known != different_.end()) return *known;
  different_.push_back(vocabulary);
  return vocabulary;
}

}  // namespace heed
