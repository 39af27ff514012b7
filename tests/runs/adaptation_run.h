// A small trained translator, and runs that adapt it to other text.
#pragma once

#include <string>
#include <vector>

#include "heed/folders/model_folder.h"
#include "heed/runs/training_run.h"
#include "small_run.h"
#include "tensors.h"

namespace heed::testing {

class AdaptationRun {
 public:
  // The pretrained model is in path("general"), the adapted one in path("mine").
  explicit AdaptationRun(const std::map<std::string, std::string>& model = {}) {
    TrainingSettings general = small_.settings;
    general.folder = path("general");
    if (model.contains("cell")) {  // of a recurrent network
      general.preset = "rnn";
      general.model.clear();
    }
    for (const auto& [name, value] : model) general.model[name] = value;
    train(general);
    settings = small_.settings;
    settings.pretrained = path("general");
    settings.folder = path("mine");
    settings.preset.clear();
    settings.model.clear();
  }

  std::string path(const std::string& name) const { return small_.path(name); }
  const TemporaryFolder& files() const { return small_.files(); }

  TrainingSettings settings;

 private:
  SmallRun small_;
};

inline std::vector<std::vector<double>> weights_in(const std::filesystem::path& folder) {
  const ModelFolder found = load_model_folder(folder);
  std::vector<std::vector<double>> weights;
  for (const Parameter& parameter : parameters_of(*found.model))
    weights.push_back(values_of(parameter.value));
  return weights;
}

}  // namespace heed::testing
