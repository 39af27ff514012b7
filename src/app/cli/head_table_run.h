// `heed attention --heads`: what each head does over a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/folders/bert_folder.h"
#include "heed/folders/model_folder.h"
#include "heed/runs/attention_view.h"

namespace heed {

struct HeadTableFiles {
  std::string target = {};  // translations of the lines of standard input; nothing: the model's own
  std::string gold = {};    // links of each pair, or nothing
  int64_t first_word = 0;   // in the links
  std::string json = {};    // where the table goes as JSON, or nothing
  std::string svg = {};     // where it goes as a picture, or nothing
  bool ablate = false;
  std::string keep_in = {};  // a model folder that keeps what aligns best, or nothing
  bool forced = false;
};

// As text to standard output if no file is wanted. An Error if the files do not fit each other or
// the model: only translators have targets and gold links, and an encoder alone predicts nothing
// that could get worse without a head.
void write_head_table(const ModelFolder& folder, const ViewOptions& options,
                      const HeadTableFiles& files, const Console& console);
void write_head_table(const BertFolder& folder, const ViewOptions& options,
                      const HeadTableFiles& files, const Console& console);

}  // namespace heed
