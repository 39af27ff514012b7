// What the weights of a model were saved with: its settings and its vocabularies, as the metadata
// of model.safetensors remembers them. It stands there because one file can be replaced at once and
// several cannot.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

using Metadata = std::map<std::string, std::string, std::less<>>;

// The files beside the weights, in the order in which they are written: names and contents.
using DescriptionFiles = std::vector<std::pair<std::string, std::string>>;

// Empty where nothing is known about the other files, as in a model of another tool.
class ModelSeal {
 public:
  ModelSeal() = default;
  explicit ModelSeal(const DescriptionFiles& files);
  // Out of the metadata of `file`. An Error if they are damaged.
  static ModelSeal read(const Metadata& metadata, const std::string& file);

  // The same files but for other settings.
  ModelSeal with_config(std::string_view config) const;

  // Adds what it knows, and a checksum of all metadata.
  void write_to(Metadata& metadata) const;

  // An Error names the file, and in config.json the setting, that is not what it was. Settings that
  // decide about training alone may change, and so may what other tools have added beside heed's
  // settings.
  void check(const std::filesystem::path& folder) const;

  bool empty() const { return entries_.empty(); }
  bool operator==(const ModelSeal&) const = default;

 private:
  void check_files(const std::filesystem::path& folder) const;

  Metadata entries_;
};

}  // namespace heed
