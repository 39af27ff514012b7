// Whose folder it is: a run finds its own folder again by its settings, and nobody else's is
// touched.
#pragma once

#include "heed/app/cli/train_options.h"
#include "heed/base/lock_file.h"

namespace heed {

// Makes the folder if there is none, and keeps other programs from training in it. An Error if it
// holds something else, if another program trains in it, or if its run was begun with other
// settings or with files that have changed since, which are named; those that can change during a
// run are taken if options.change_settings says so. What was prepared from something else and
// cannot be used any more is removed. Files that are gone are not missed: what was prepared from
// them is in the folder.
LockFile claim_folder(const TrainOptions& options);

}  // namespace heed
