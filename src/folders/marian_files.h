// The files of a Marian model: which of a folder's files are its weights, vocabularies, decoder
// settings and shortlist.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/weights/marian_settings.h"

namespace heed::marian {

struct Files {
  std::filesystem::path model;                      // *.npz or *.bin
  std::filesystem::path source, target;             // vocabularies: *.spm, *.yml, *.json or text
  std::optional<std::filesystem::path> source_spm;  // pieces beside vocabularies of other kinds
  std::optional<std::filesystem::path> target_spm;  // (the same)
  std::optional<std::filesystem::path> shortlist;   // *.s2t.bin
  std::optional<MarianSettings> decoder = std::nullopt;  // decoder.yml or config.yml
};

// Whether a path is a model of Marian: a folder with *.npz or Marian's *.bin, or such a file. Each
// may be packed with gzip.
bool is_model(const std::filesystem::path& path);

// An Error names what is missing, or where there are several to choose from.
Files find_files(const std::filesystem::path& path);

// The bytes of a file, unpacked if its name ends in .gz.
std::string read_text(const std::filesystem::path& path);

// The name without ".gz".
std::string plain_name(const std::filesystem::path& path);

}  // namespace heed::marian
