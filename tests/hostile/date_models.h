// Two models trained on dates for a second or two, with the same vocabularies.
#pragma once

#include "../app/train_process.h"

namespace heed::testing {

class DateModels {
 public:
  DateModels() {
    const Flags flags = {{"--steps", "200"}, {"--validate-every", "100"}, {"--save-every", "1000"}};
    EXPECT_EQ(training_.run(first(), flags), 0) << training_.output();
    Flags others = flags;
    others["--seed"] = "2";
    others["--vocabulary-files"] = first() + "/source.spm";
    EXPECT_EQ(training_.run(second(), others), 0) << training_.output();
  }

  std::string first() const { return training_.path("first"); }
  std::string second() const { return training_.path("second"); }

 private:
  SmallTraining training_;
};

}  // namespace heed::testing
