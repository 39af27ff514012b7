// `heed-mpi translate`: lines are dealt to the ranks in chunks, and come back in order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/app/cli/translation_chunk.h"
#include "heed/base/communicator.h"
#include "heed/decoding/translator.h"

namespace heed {

struct SharedTranslation {
  std::string input = "-", output = "-", prefixes = {};
  bool forced = false, strict = false;  // as in TranslateCommand
  SearchOptions search = {};
  TranslationFormat format = {};
  std::string identity = {};  // whatever the translations depend on
};

// At rank 0: reads and writes, and works, too. If the output is a file, what is done is kept beside
// it until the output is complete, and a run that was killed goes on from there.
TranslationCounts lead_translation(const SharedTranslation& settings, const Translator& translator,
                                   Communicator& ranks, const Console& console);

// At the other ranks.
void join_translation(const SharedTranslation& settings, const Translator& translator,
                      Communicator& ranks);

// Of the files that make a model, but not of pictures and logs.
uint32_t checksum_of_model(const std::filesystem::path& folder);

}  // namespace heed
