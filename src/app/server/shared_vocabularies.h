// Vocabularies of several models, of which equal ones are kept once.
#pragma once

#include <vector>

#include "heed/data/vocabulary.h"

namespace heed {

// A model from English to German and one back often have the same vocabulary, which takes several
// times the size of its file.
class SharedVocabularies {
 public:
  // The one of the same bytes that came first.
  Vocabulary shared(const Vocabulary& vocabulary);

 private:
  std::vector<Vocabulary> different_;
};

}  // namespace heed
