// The tokens of a CTranslate2 folder, and how they relate to heed's vocabularies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/data/vocabulary.h"
#include "heed/folders/ctranslate2_folder.h"

namespace heed::ctranslate2 {

inline constexpr double default_norm_epsilon = 1e-5;

struct Tokens {
  std::vector<std::string> source, target;  // in the order of the tables' rows
  std::string start = "<s>", end = "</s>", unknown = "<unk>";
  bool source_end = false;  // source sentences end with their token
  double norm_epsilon = default_norm_epsilon;
  // What heed has noted when it wrote the folder: the score of the start, which CTranslate2 must
  // never propose.
  std::optional<float> start_bias;
  std::string origin;  // where the model came from before, if heed has written the folder
};

Tokens read_tokens(const std::filesystem::path& folder);

struct Vocabularies {
  Vocabulary source, target;
  bool words;  // the tokens are words; otherwise the pieces themselves
};

// The SentencePiece models of the folder or, without them, lists of words.
Vocabularies read_vocabularies(const std::filesystem::path& folder, const Tokens& tokens,
                               const std::optional<MosesSides>& moses = std::nullopt);

// For each id of a vocabulary the row of the tables; -1 where the model does not know the piece.
std::vector<int64_t> source_rows(const Vocabularies& vocabularies, const Tokens& tokens);
std::vector<int64_t> target_rows(const Vocabularies& vocabularies, const Tokens& tokens);

}  // namespace heed::ctranslate2
