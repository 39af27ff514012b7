#include "heed/app/cli/adapter_flag.h"

#include <utility>

#include "heed/app/cli/standard_streams.h"
#include "heed/folders/adapter_file.h"

namespace heed {

CLI::Option* add_adapter_flag(CLI::App& command, std::string& file) {
  return command.add_option("--adapter", file, "Adapter of the model, from heed train --adapter")
      ->option_text("FILE")
      ->check(file_name());
}

ModelFolder adapted(ModelFolder model, const std::string& file) {
  if (!file.empty()) apply_adapter(file, model);
  return model;
}

ModelFolder load_adapted(const std::string& folder, const std::string& file) {
  return adapted(load_model_folder(folder), file);
}

}  // namespace heed
