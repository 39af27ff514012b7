// An adapter as a small file beside the model that it belongs to: the matrices of its layers, their
// rank and alpha, and a checksum of that model.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "heed/folders/model_folder.h"

namespace heed {

inline constexpr const char* adapter_name = "adapter.safetensors";  // in the folder of its run

struct AdapterDescription {
  int64_t rank = 0;
  double alpha = 0;  // what an adapter adds is multiplied by alpha / rank
  std::string base;  // see adapter_base
};

// Tells a model from others, wherever it is stored: its weights and vocabularies.
std::string adapter_base(const ModelFolder& model);

// The matrices are named "LAYER.lora_A" (rank, inputs) and "LAYER.lora_B" (outputs, rank).
void save_adapter(const std::filesystem::path& file, std::span<const Parameter> matrices,
                  const AdapterDescription& description);

// The file itself, which may be named by the folder that it is in.
std::filesystem::path adapter_in(const std::filesystem::path& file);

// Adds the adapter to the model's weights. An Error if it is damaged, or belongs to another model.
void apply_adapter(const std::filesystem::path& file, ModelFolder& model);

// A model with its adapter; as it is if no file is named.
ModelFolder adapted(ModelFolder model, const std::filesystem::path& file);
ModelFolder load_adapted(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace heed
