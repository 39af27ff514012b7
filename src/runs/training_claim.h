// Which run owns a folder: a run recognises its own folder by its settings, and touches no other.
#pragma once

#include "heed/base/lock_file.h"
#include "heed/runs/training_settings.h"

namespace heed {

// Creates the folder if necessary, and keeps other programs from training in it. An Error if it
// holds something else, if another program is training in it, or if its run was started with other
// settings or with files that have changed since; it names them. With settings.change_settings,
// changes that are possible during a run are accepted, and whatever was prepared from the old
// corpus is removed. Corpus files may be gone: what was prepared from them is in the folder.
LockFile claim_folder(const TrainingSettings& settings);

}  // namespace heed
