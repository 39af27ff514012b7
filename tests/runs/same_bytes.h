// A run gives the same bytes on any number of threads and ranks, and after any interruption.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "comparable_files.h"
#include "heed/runs/training_run.h"
#include "thread_communicator.h"

namespace heed::testing {

// Trains with these settings in all these ways, in folders of that place.
inline void expect_same_bytes_however_trained(TrainingSettings settings, const std::string& place) {
  // Files have the name of their folder, which is the same for all.
  const auto folder = [&](const std::string& name) { return place + "/" + name + "/mine"; };
  const auto trained = [&](const std::string& name, int threads, bool interrupted) {
    settings.folder = folder(name);
    settings.threads = threads;
    TrainingCallbacks callbacks;
    if (interrupted) callbacks.interrupted = [] { return true; };
    // Each call takes one step.
    while (train(settings, callbacks) == TrainingEnd::interrupted) {
    }
    return comparable_files(settings.folder);
  };
  const FileBytes whole = trained("whole", 1, false);
  EXPECT_TRUE(same_files(trained("threads", 3, false), whole));
  EXPECT_TRUE(same_files(trained("killed", 2, true), whole));
  settings.folder = folder("ranks");
  run_ranks(2, [&](Communicator& ranks) { TrainingRun(settings, {}, ranks).train(); });
  EXPECT_TRUE(same_files(comparable_files(settings.folder), whole));
}

}  // namespace heed::testing
