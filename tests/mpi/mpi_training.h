// `heed-mpi train` on a small corpus of dates.
#pragma once

#include "mpi_process.h"
#include "train_process.h"

namespace heed::testing {

// Some hundred thousand weights, so that every rank owns some; everything that a step can have.
inline const Flags rich = {{"--width", "64"},      {"--ffn", "128"},  {"--steps", "16"},
                           {"--accumulate", "2"},  {"--r-drop", "1"}, {"--r-drop-after", "5"},
                           {"--save-every", "4"},  {"--shards", "5"}, {"--threads", "1"},
                           {"--average-last", "2"}};

inline Flags with(Flags flags, const Flags& more) {
  for (const auto& [flag, value] : more) flags[flag] = value;
  return flags;
}

class MpiTraining : public ::testing::Test {
 protected:
  // The exit code.
  int run(int ranks, const std::string& model, const Flags& flags = rich) const {
    return MpiProcess(ranks, training_.arguments(path(model), flags), path("output")).wait();
  }
  std::string output() const { return training_.output(); }
  std::string path(const std::string& name) const { return training_.path(name); }

  // Starts a long run and calls use(process) when it has saved its first checkpoint.
  template <typename Use>
  void during_a_long_run(int ranks, const std::string& model, Use use) const {
    const Flags endless = with(rich, {{"--steps", "1000000"}});
    MpiProcess process(ranks, training_.arguments(path(model), endless), path("output"));
    while (process.runs() && !std::filesystem::exists(path(model + "/training/state.safetensors")))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_EQ(process.ranks().size(), static_cast<size_t>(ranks)) << output();
    use(process);
  }

  const SmallTraining training_;
};

}  // namespace heed::testing
