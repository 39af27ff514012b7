// Packages of Argos Translate.
#pragma once

#include <map>
#include <string>

#include "heed/folders/ctranslate2_export.h"
#include "heed/folders/model_folder.h"
#include "temporary_folder.h"
#include "zip_maker.h"

namespace heed::testing {

inline constexpr const char* argos_metadata = R"({"package_version": "1.9",
  "argos_version": "1.9.0", "from_code": "en", "from_name": "English", "to_code": "de",
  "to_name": "German"})";

// What a package holds, by the names in it.
inline std::map<std::string, std::string> argos_parts(const ModelFolder& model) {
  const TemporaryFolder folder;
  save_ctranslate2_folder(folder.path(""), model);
  std::map<std::string, std::string> parts = {
      {"metadata.json", argos_metadata},
      {"sentencepiece.model", std::string(model.source.plain_bytes())},
      {"README.md", "# en-de"},
      {"stanza/en/tokenize/ewt.pt", "ignored"}};
  for (const char* file : {"model.bin", "config.json", "shared_vocabulary.json"})
    parts[std::string("model/") + file] = folder.text(file);
  return parts;
}

inline std::string argos_archive(const std::map<std::string, std::string>& parts,
                                 const std::string& root = "translate-en_de-1_9/") {
  ZipMaker archive;
  archive.add(root.empty() ? "empty/" : root, "");
  for (const auto& [name, bytes] : parts) archive.add(root + name, bytes);
  return archive.bytes();
}

}  // namespace heed::testing
