// config.json: the settings of a model in its folder.
#pragma once

#include <string>
#include <string_view>

#include "heed/models/model_config.h"
#include "heed/models/search_defaults.h"
#include "heed/models/trained_lengths.h"

namespace heed {

// As JSON. A Transformer's starts with the settings of MarianMT folders, for other tools; "heed"
// holds all settings, the trained lengths if known, and the notes if there are any.
std::string to_json(const ModelConfig& config, const TrainedLengths& lengths = {},
                    const ModelNotes& notes = {});
// `file` is the name for errors, which name the setting, what was expected and what was found.
ModelConfig parse_model_config(std::string_view json, const std::string& file);
TrainedLengths parse_trained_lengths(std::string_view json, const std::string& file);
ModelNotes parse_model_notes(std::string_view json, const std::string& file);

}  // namespace heed
