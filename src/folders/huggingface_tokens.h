// The tokens of a MarianMT folder: vocab.json, and how its ids relate to heed's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/data/vocabulary.h"

namespace heed::huggingface {

// The tokens of one side in heed's order: the end, the unknown word, the others, the start.
struct Tokens {
  std::vector<std::string> names;
  std::vector<int64_t> rows;  // of the folder's tables, for each of them

  bool in_order() const;  // whether the folder has heed's order
};

// Which ids of the file have which part in it.
struct SpecialIds {
  int64_t end = 0, start = 0;
};

// Of a vocab.json with this many tokens.
Tokens read_tokens(const std::filesystem::path& file, int64_t size, const SpecialIds& special);

// The SentencePiece model with these tokens, or alone if they are its pieces in order.
Vocabulary vocabulary_of(const std::filesystem::path& model, const Tokens& tokens);

}  // namespace heed::huggingface
