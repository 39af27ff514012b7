// `heed train`, killed before, during or after its writing calls.
#pragma once

#include <map>

#include "../app/train_process.h"
#include "comparable_files.h"
#include "faults.h"

namespace heed::testing {

// Kills a run at random calls and restarts the same command, again and again, until there were this
// many kills. The result must equal that of an undisturbed run.
class KilledTraining {
 public:
  KilledTraining() {
    EXPECT_EQ(train({}), 0) << training_.output();
    expected_ = comparable_files(model_);
    std::filesystem::remove_all(model_);
    EXPECT_EQ(train({.below = model_, .calls = calls, .at = -1}), 0);
    calls_made_ = take_report(report_).size();
    EXPECT_GT(calls_made_, 100U);
  }

  void kill(int kills) {
    for (int killed = 0; killed < kills && !::testing::Test::HasFailure();) {
      std::filesystem::remove_all(model_);
      std::string story;
      // One kill after the other in the same run, unless it finishes.
      for (int times = 1 + static_cast<int>(rng_.below(5)); times > 0 && killed < kills; --times) {
        const MetCall met = kill_once();
        if (met.name.empty()) break;
        story += " " + met.name + " " + met.path + "\n";
        ++killed;
      }
      const ::testing::ScopedTrace trace(__FILE__, __LINE__, "killed at\n" + story);
      EXPECT_EQ(train({}), 0) << training_.output();
      EXPECT_TRUE(same_files(comparable_files(model_), expected_));
      EXPECT_EQ(partial_files_below(model_), 0);
    }
  }

  // How often each call was the last.
  const std::map<std::string, int>& last_calls() const { return last_calls_; }

 private:
  static constexpr const char* calls = "create,write,fsync,close,rename,truncate,unlink,mkdir";

  int train(const Fault& fault) {
    const auto environment =
        fault.calls.empty() ? std::map<std::string, std::string>() : environment_of(fault, report_);
    return training_.run(model_, {{"--threads", "1"}}, environment);
  }

  // The call at which it was killed; none if the run finished first.
  MetCall kill_once() {
    const char* moments[] = {"kill-before", "kill-inside", "kill-after"};
    const Fault fault = {.below = model_,
                         .calls = calls,
                         .at = 1 + static_cast<int64_t>(rng_.below(calls_made_)),
                         .action = moments[rng_.below(3)]};
    const int code = train(fault);
    const std::vector<MetCall> met = take_report(report_);
    if (met.empty()) {
      EXPECT_EQ(code, 0) << training_.output();
      return {};
    }
    EXPECT_EQ(code, 128 + SIGKILL) << training_.output();
    ++last_calls_[met.back().name];
    return {fault.action + " " + met.back().name, met.back().path};
  }

  SmallTraining training_;
  std::string model_ = training_.path("model"), report_ = training_.path("report");
  FileBytes expected_;
  uint64_t calls_made_ = 0;
  std::map<std::string, int> last_calls_;
  Rng rng_{3};
};

}  // namespace heed::testing
