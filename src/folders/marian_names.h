// Marian's names for the parameters of heed's Transformer.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "heed/models/transformer_config.h"

namespace heed::marian {

// Where the settings of a model are in its file.
inline constexpr const char* settings_name = "special:model.yml";
// What heed notes there of a model that it has written and Marian has no place for. Marian skips
// arrays with such names.
inline constexpr const char* notes_name = "special:heed.json";

inline constexpr double norm_epsilon = 1e-6;

// Of a parameter of a layer, such as "model.decoder.layers.3.encoder_attn.k_proj.bias", or of the
// norms behind all layers. Marian counts layers from 1; where decoder layers share the weights of
// others, `tied_layers` has the number of each.
std::string array_name(const std::string& parameter, NormPlacement placement,
                       std::span<const int64_t> tied_layers = {});

// Among heed's notes, the place for the start's row of a table that never shows it; null for other
// parameters.
const char* place_of_start(const std::string& parameter);

}  // namespace heed::marian
