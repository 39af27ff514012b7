// What a killed translation leaves beside its output, so that the same command goes on from there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "heed/app/cli/translation_chunk.h"
#include "heed/base/lock_file.h"

namespace heed {

// How far it is.
struct TranslationState {
  int64_t lines = 0;              // of the input that are translated
  uint32_t source = 0;            // checksum of them, with their prefixes
  int64_t bytes = 0;              // of text
  uint32_t text = 0;              // checksum of it
  TranslationCounts counts = {};  // but those of the input's lines
};

// The text so far is in FILE.unfinished; FILE.journal has a line for each of its chunks. A line
// counts only if it and all before it fit the text, so it does not matter what the system had
// written when the power went.
class UnfinishedTranslation {
 public:
  // `identity` is whatever the translations depend on. An Error if what is there was begun with
  // another, or if another program is at it.
  UnfinishedTranslation(const std::filesystem::path& output, const std::string& identity);
  ~UnfinishedTranslation();  // leaves nothing behind if nothing was done
  UnfinishedTranslation(const UnfinishedTranslation&) = delete;
  UnfinishedTranslation& operator=(const UnfinishedTranslation&) = delete;

  const TranslationState& state() const { return state_; }
  std::string name() const { return text_file_.string(); }

  // What was made of the lines after those of the state. `source` is the checksum of all so far.
  void add(const TranslatedChunk& chunk, uint32_t source);

  // Writes the output and removes the rest.
  void finish();

 private:
  void begin(const std::string& header);
  void go_on(const std::string& header);
  void remove() noexcept;

  std::filesystem::path output_, text_file_, journal_;
  std::optional<LockFile> lock_;
  TranslationState state_;
};

}  // namespace heed
