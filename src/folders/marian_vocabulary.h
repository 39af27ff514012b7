// The vocabularies of a Marian model, and how they relate to heed's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "heed/data/vocabulary.h"

namespace heed::marian {

struct WordRows {
  Vocabulary vocabulary;
  // For each id of it the row in Marian's tables; -1 for the start token, which Marian has not.
  std::vector<int64_t> rows;
  std::vector<bool> known;  // whether Marian has the word, which otherwise has the unknown's row
};

// SentencePiece models have Marian's own ids. Lists of words (*.yml, *.json or text) are split at
// spaces or, with a SentencePiece model beside them, into its pieces; what it lacks becomes further
// pieces, since the model may write them. `rows` is the number of rows of the table. An Error names
// the file where the two do not belong together.
WordRows read_vocabulary(const std::filesystem::path& file,
                         const std::optional<std::filesystem::path>& pieces, int64_t rows);

}  // namespace heed::marian
