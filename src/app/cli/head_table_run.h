// `heed attention --heads`: what each head does over a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/attention/head_name.h"
#include "heed/folders/model_folder.h"

namespace heed {

struct HeadTableFiles {
  std::string target;      // the translations of the lines of standard input
  std::string gold = {};   // links of each pair, or nothing
  int64_t first_word = 0;  // in the links
  std::string json = {};   // where the table goes as JSON; nothing: as text to standard output
  bool ablate = false;
  bool forced = false;
};

// An Error if the files do not fit each other or the model.
void write_head_table(const ModelFolder& folder, const std::vector<HeadName>& without,
                      const HeadTableFiles& files, const Console& console);

}  // namespace heed
