#include "heed/data/moses_vocabulary.h"

#include "heed/data/sentencepiece_model.h"
#include "heed/data/word_vocabulary.h"

namespace heed {

Vocabulary moses_vocabulary(std::span<const std::string> tokens, const MosesSettings& settings,
                            std::string_view name) {
  return Vocabulary::from_bytes(with_moses(word_vocabulary(tokens, name).bytes(), settings), name);
}

}  // namespace heed
