#include "heed/app/cli/adapter_flag.h"

#include "heed/app/cli/standard_streams.h"

namespace heed {

CLI::Option* add_adapter_flag(CLI::App& command, std::string& file) {
  return command.add_option("--adapter", file, "Adapter of the model, from heed train --adapter")
      ->option_text("FILE")
      ->check(file_name());
}

}  // namespace heed
