// config.json of a BERT folder, as Hugging Face has it.
#pragma once

#include <string>
#include <string_view>

#include "heed/models/bert_config.h"

namespace heed {

// Whether this is the config.json of a BERT. What is no JSON is none either.
bool describes_bert(std::string_view json);

// An Error names the setting, what was expected and what was found: also where heed would compute
// something else than the setting says.
BertConfig parse_bert_config(std::string_view json, const std::string& file);

// The settings that Hugging Face's library reads, and "heed" with the version.
std::string to_json(const BertConfig& config);

}  // namespace heed
