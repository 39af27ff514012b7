// The models that a user keeps: folders in $XDG_DATA_HOME/heed and wherever else they say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heed {

// $XDG_DATA_HOME/heed, or ~/.local/share/heed; empty if there is no home either.
std::filesystem::path models_folder();

// Where a model is that a user calls by this name: the path itself if there is something; otherwise
// the folder of this name in models_folder(); otherwise the path again, to be missed there.
std::string find_model(const std::string& name);

struct ListedModel {
  std::string name;
  std::filesystem::path folder;
  std::string source_language, target_language;  // codes; empty where they are not known
  std::string kind;                              // "transformer", "rnn", "bert", …
  std::string storage;                           // "float32", …
  int64_t parameters = 0;
  uint64_t bytes = 0;                // of all its files
  std::vector<std::string> tags;     // that may stand in front of its sources
  std::string origin;                // empty: trained with heed
  std::string licence;               // empty where none is given
  std::optional<double> bleu, chrf;  // of the best validation, if the run kept them
  std::string broken;                // why it cannot be used; empty if it can
};

// Each folder's models, by name: the folder itself if it is a model, or what is in it. Whatever
// cannot be read is listed with the reason. Other files and folders are passed over.
std::vector<ListedModel> list_models(std::span<const std::filesystem::path> folders);

}  // namespace heed
