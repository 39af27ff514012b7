// Settings of a training run by their names, as the flags of `heed train` have them: for programs
// that get them as text.
#pragma once

#include <string>
#include <string_view>

#include "heed/runs/training_settings.h"

namespace heed {

// The names are those of the flags, without "--": set_setting(settings, "time", "30m"). A list of
// files gets one more. An Error of the kind `usage` if there is no such setting, or says which
// value was expected.
void set_setting(TrainingSettings& settings, std::string_view name, const std::string& value);

}  // namespace heed
