// How the learning rate changes over the steps.
#pragma once

#include <cstdint>

namespace heed {

enum class ScheduleKind { inverse_square_root, cosine, linear, constant };

struct ScheduleConfig {
  ScheduleKind kind = ScheduleKind::inverse_square_root;
  double learning_rate = 1e-3;  // the highest
  int64_t warm_up = 1000;       // steps from nothing to the highest
  int64_t steps = 0;            // where cosine and linear decay reach zero; 0 is refused for them

  bool operator==(const ScheduleConfig&) const = default;
};

// Refuses what is no schedule, naming the setting.
void check(const ScheduleConfig& config);

// The rate of a step, counted from 1, of a schedule that was checked: it rises linearly to the
// highest, and then falls
//   by the inverse square root: learning_rate sqrt(warm_up / step),
//   by a cosine or a line to zero at `steps`, or not at all.
double learning_rate(const ScheduleConfig& config, int64_t step);

}  // namespace heed
