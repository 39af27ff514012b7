// A small MarianMT folder as Hugging Face has it: see tests/golden/marian_mt.py.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "heed/base/json.h"
#include "paths.h"
#include "temporary_folder.h"

namespace heed::testing {

enum class WeightForm { safetensors, zip, old };

class MarianMtFolder {
 public:
  explicit MarianMtFolder(const std::string& name = "shared",
                          WeightForm form = WeightForm::safetensors)
      : golden_(std::filesystem::path(golden_folder) / "marian_mt" / name) {
    for (const char* file : {"config.json", "vocab.json", "target_vocab.json", "source.spm",
                             "target.spm", "tokenizer_config.json", "generation_config.json"})
      if (std::filesystem::exists(golden_ / file)) copy(file, file);
    if (form == WeightForm::safetensors)
      copy("weights.safetensors", "model.safetensors");
    else
      copy(form == WeightForm::zip ? "zip.bin" : "old.bin", "pytorch_model.bin");
  }

  const TemporaryFolder& folder() const { return folder_; }
  std::filesystem::path path(const std::string& file = "") const { return folder_.path(file); }

  JsonValue json(const std::string& file) const { return JsonValue::parse(folder_.text(file)); }
  void put(const std::string& file, const JsonValue& json) const { folder_.put(file, json.dump()); }
  // Another value of one setting of the golden file.
  void change(const std::string& file, const std::string& name, const JsonValue& value) const {
    copy(file, file);
    JsonValue changed = json(file);
    changed[name] = value;
    put(file, changed);
  }
  void restore(const std::string& file) const { copy(file, file); }

 private:
  void copy(const std::string& from, const std::string& to) const {
    std::filesystem::copy_file(golden_ / from, path(to),
                               std::filesystem::copy_options::overwrite_existing);
  }

  std::filesystem::path golden_;
  TemporaryFolder folder_;
};

}  // namespace heed::testing
