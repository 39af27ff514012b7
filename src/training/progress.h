// The progress of a run: everything besides the learner's state that is needed to continue as if
// nothing had happened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/training_batches.h"

namespace heed {

struct Progress {
  CorpusPosition position = {};
  int64_t epochs = 0;  // completed
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  double seconds = 0;  // of training, without validation
  int skipped_in_a_row = 0;
  int64_t skipped = 0;

  // Since the last validation.
  double loss_sum = 0;
  double likelihood_sum = 0;
  int64_t loss_tokens = 0;

  int64_t validated_at = 0;         // step of the last validation
  std::optional<double> best = {};  // value of the criterion
  int64_t best_step = 0;
  int stale = 0;                        // validations since the best
  std::vector<int64_t> snapshots = {};  // steps whose weights are kept for averaging
  // Of training.jsonl; lines after that belong to steps that will be repeated.
  int64_t log_bytes = 0;
  bool finished = false;
};

std::string to_json(const Progress& progress);
Progress parse_progress(std::string_view text,
                        const std::string& file);  // an Error if it is damaged

}  // namespace heed
