// A model's weights in its folder: model.safetensors.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "heed/folders/model_seal.h"
#include "heed/layers/parameter.h"
#include "heed/models/model.h"

namespace heed {

// How matrices are stored; everything else stays float32. With int8, a matrix (rows, columns) is an
// array of integers and, under its name with ".scale", a scale for each row.
enum class WeightStorage { float32, float16, int8 };

std::string_view name_of(WeightStorage storage);  // "float32"

// Saves the weights with a checksum and the seal of the files beside them. The file is complete or
// does not exist, and equal weights give equal bytes.
void save_weights(const std::filesystem::path& folder, std::span<const Parameter> parameters,
                  WeightStorage storage = WeightStorage::float32, const ModelSeal& seal = {});

// Puts stored weights into the model and says how they were stored. An Error names the file and the
// array that is missing, damaged, not finite or does not fit.
WeightStorage load_weights(const std::filesystem::path& folder, ParameterModel& model);

// The seal of the stored weights; empty if there are none.
ModelSeal load_seal(const std::filesystem::path& folder);

// Reseals the stored weights, if any, for other settings: the text of a config.json that is about
// to be written.
void accept_config(const std::filesystem::path& folder, std::string_view config);

}  // namespace heed
