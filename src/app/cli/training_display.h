// What a person sees of a run: on a terminal, a live line and a line per validation; elsewhere,
// plain lines now and then.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/training/trainer.h"

namespace heed {

// Floating-point operations per token, and the peak of the machine.
struct TrainingCost {
  double per_source_token = 0;
  double per_target_token = 0;
  double peak = 0;  // operations per second of all workers
};

// Time until the run reaches the first of its limits; infinity if it has none. A step with R-Drop
// takes twice as long.
double seconds_left(const TrainerConfig& config, const Progress& progress, int64_t steps);

class TrainingDisplay {
 public:
  TrainingDisplay(const Console& console, const TrainerConfig& config, const TrainingCost& cost);
  TrainingDisplay(const TrainingDisplay&) = delete;
  TrainingDisplay& operator=(const TrainingDisplay&) = delete;
  // Whatever is printed next, e.g. why the run failed, begins on a new line.
  ~TrainingDisplay();

  void announce(const std::string& sentence);
  // Another measurement of the peak: other programs may have disturbed the earlier ones.
  void saw_peak(double peak);
  void step(const StepReport& report, const Progress& progress);
  void validated(const Validation& validation, const Progress& progress);
  void ended(TrainingEnd end, const Progress& progress, size_t memory);

 private:
  void erase_live();
  void show_live(const std::vector<std::string>& parts);
  void print(const std::string& line);
  // On a terminal, on as many lines as it takes.
  void print_parts(const std::vector<std::string>& parts, std::string_view separator);
  void print_words(const std::string& sentence);
  void print_sample(const SampleOutput& sample);
  std::vector<std::string> status(const StepReport& report, const Progress& progress) const;
  double share_of_peak(int64_t source_tokens, int64_t target_tokens, double seconds) const;

  const Console& console_;
  TrainerConfig config_;
  TrainingCost cost_;
  Progress start_;  // start of the interval over which speed is measured
  bool started_ = false;
  bool live_ = false;  // the cursor is at the end of a live line
  std::chrono::steady_clock::time_point shown_ = {};
};

}  // namespace heed
