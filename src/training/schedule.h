// Learning rate schedules.
#pragma once

#include <cstdint>

namespace heed {

enum class ScheduleKind { inverse_square_root, cosine, linear, constant };

struct ScheduleConfig {
  ScheduleKind kind = ScheduleKind::inverse_square_root;
  double learning_rate = 1e-3;  // the peak
  int64_t warm_up = 1000;       // steps from zero to the peak
  int64_t steps = 0;  // step at which cosine and linear decay reach zero; required for them

  bool operator==(const ScheduleConfig&) const = default;
};

// Refuses invalid schedules, naming the setting.
void check(const ScheduleConfig& config);

// The learning rate of a step, counted from 1, of a checked schedule. It rises linearly to the
// peak, and then decays
//   by the inverse square root: learning_rate sqrt(warm_up / step),
//   by a cosine or a line to zero at `steps`, or not at all.
double learning_rate(const ScheduleConfig& config, int64_t step);

}  // namespace heed
