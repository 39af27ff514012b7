#include "heed/runs/changed_model.h"

#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/folders/stored_weights.h"

namespace heed {

namespace {

// The names tell models of different kinds apart.
std::vector<std::pair<std::string, Shape>> shapes_of(ParameterModel& model) {
  std::vector<std::pair<std::string, Shape>> shapes;
  for (const Parameter& parameter : parameters_of(model))
    shapes.emplace_back(parameter.name, parameter.value.shape());
  return shapes;
}

}  // namespace

void require_same_shapes(const std::filesystem::path& folder, ParameterModel& before,
                         ParameterModel& now) {
  require(
      shapes_of(before) == shapes_of(now),
      "{}: the run's weights do not fit the new model settings; a new run needs an empty folder",
      folder.string());
}

void replace_config(const std::filesystem::path& folder, const std::string& text, bool differ) {
  // The weights first, and even if only they are left to change: a run killed between the two steps
  // comes back here.
  accept_config(folder, text);
  if (differ) write_file_atomically(folder / "config.json", text);
}

}  // namespace heed
