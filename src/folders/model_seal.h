// The seal of a model: the settings and vocabularies that its weights were saved with, kept in the
// metadata of model.safetensors, because one file can be replaced atomically and several cannot.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// Whether a folder may have changed since its weights were saved.
enum class Changes { refuse, accept };

using Metadata = std::map<std::string, std::string, std::less<>>;

// The files beside the weights, in the order in which they are written: names and contents.
using DescriptionFiles = std::vector<std::pair<std::string, std::string>>;

// Empty if nothing is known about the other files, as in a model from another tool.
class ModelSeal {
 public:
  ModelSeal() = default;
  explicit ModelSeal(const DescriptionFiles& files);
  // From the metadata of `file`. An Error if it is damaged.
  static ModelSeal read(const Metadata& metadata, const std::string& file);

  // The same files, except for the settings.
  ModelSeal with_config(std::string_view config) const;

  // Adds the seal, and a checksum of all metadata.
  void write_to(Metadata& metadata) const;

  // An Error names the file, and in config.json the setting, that has changed. Settings that only
  // affect training may change, and so may what other tools have added.
  void check(const std::filesystem::path& folder) const;

  bool empty() const { return entries_.empty(); }
  bool operator==(const ModelSeal&) const = default;

 private:
  void check_files(const std::filesystem::path& folder) const;

  Metadata entries_;
};

}  // namespace heed
