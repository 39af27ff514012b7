// Runs of every kind, and kills at any moment.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tiny_training.h"

namespace heed::testing {

inline TrainerConfig steps(int64_t count) {
  TrainerConfig config;
  config.learner.schedule = {.kind = ScheduleKind::constant, .learning_rate = 0.01, .warm_up = 0};
  config.learner.ema = 0.5;
  config.steps = count;
  config.validate_every = 4;
  config.save_every = 3;
  return config;
}

// With a step of this size, each validation is worse than the one before, from some step on.
inline TrainerConfig diverging() {
  TrainerConfig config = steps(1000);
  config.learner.schedule.learning_rate = 0.3;
  config.learner.ema = 0;
  config.validate_every = 2;
  config.patience = 3;
  return config;
}

// Settings that affect what is kept between two starts.
inline std::map<std::string, TrainerConfig> kinds_of_runs() {
  std::map<std::string, TrainerConfig> kinds;
  kinds["steps"] = steps(10);
  kinds["last validation not due"] = steps(9);
  TrainerConfig& epochs = kinds["epochs"] = steps(0);
  epochs.epochs = 2;
  epochs.validate_every = 0;
  epochs.save_every = 5;
  TrainerConfig& accumulating = kinds["accumulating"] = steps(7);
  accumulating.accumulate = 3;
  accumulating.validate_every = 0;
  TrainerConfig& averaging = kinds["averaging"] = steps(13);
  averaging.average_last = 2;
  averaging.validate_every = 3;
  TrainerConfig& without_ema = kinds["no EMA"] = steps(8);
  without_ema.learner.ema = 0;
  without_ema.save_every = 1;
  kinds["patience"] = diverging();
  TrainerConfig& patient = kinds["patience and averaging"] = diverging();
  patient.average_last = 3;
  return kinds;
}

// Simulates a kill.
struct Killed {};

// Throws at the n-th callback of a run.
inline TrainerEvents killing_at(int64_t moment, int64_t& count) {
  const auto tick = [moment, &count] {
    if (++count == moment) throw Killed();
  };
  return {.step = [tick](const StepReport&, const Progress&) { tick(); },
          .validated = [tick](const Validation&, const Progress&) { tick(); },
          .judge =
              [tick] {
                tick();
                return OutputScores{};
              },
          .interrupted =
              [tick] {
                tick();
                return false;
              }};
}

// The log without times.
inline std::vector<nlohmann::json> log_of(const std::string& text) {
  std::vector<nlohmann::json> lines;
  for (size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    lines.push_back(nlohmann::json::parse(text.substr(begin, text.find('\n', begin) - begin)));
    lines.back().erase("seconds");
  }
  return lines;
}

}  // namespace heed::testing
