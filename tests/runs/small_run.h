// Settings of runs that take about a second.
#pragma once

#include <string>

#include "heed/base/random.h"
#include "heed/data/dates.h"
#include "heed/runs/training_settings.h"
#include "temporary_folder.h"

namespace heed::testing {

// A corpus of dates, and a small Transformer to learn it.
class SmallRun {
 public:
  SmallRun() {
    Rng rng(1);
    write(rng, "train", 200);
    write(rng, "valid", 20);
    settings.train = {path("train.written"), path("train.iso")};
    settings.valid = {path("valid.written"), path("valid.iso")};
    settings.folder = path("model");
    settings.preset = "tiny";
    settings.model = {{"encoder-layers", "1"},
                      {"decoder-layers", "1"},
                      {"width", "16"},
                      {"ffn", "32"},
                      {"heads", "2"}};
    settings.learning = {{"learning-rate", "0.01"}, {"warm-up", "10"}};
    settings.batch_tokens = 512;
    settings.max_length = 128;
    settings.trainer.steps = 12;
    settings.trainer.validate_every = 5;
    settings.valid_lines = 4;
    settings.threads = 1;
  }

  std::string path(const std::string& name) const { return files_.path(name); }
  const TemporaryFolder& files() const { return files_; }

  TrainingSettings settings;

 private:
  void write(Rng& rng, const std::string& name, int pairs) const {
    std::string written, iso;
    for (int i = 0; i < pairs; ++i) {
      const DatePair pair = random_date(rng, DateUse::training);
      written += pair.written + '\n';
      iso += pair.iso + '\n';
    }
    files_.put(name + ".written", written);
    files_.put(name + ".iso", iso);
  }

  TemporaryFolder files_;
};

}  // namespace heed::testing
