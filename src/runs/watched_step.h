// What a training run has kept of some sentences' attention at one validation: a file for each, in
// training/attention of the model's folder. Weights are stored as float16, two bytes each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/runs/attention_view.h"
#include "heed/runs/watched_sentence.h"
#include "heed/visualisation/attention_page.h"

namespace heed {

struct WatchedView {
  bool given = false;  // the target was given, and is not what the model said
  AttentionView view;  // weights only

  WatchedSentence sentence() const;  // the same at every step
};

struct WatchedStep {
  int64_t step = 0;
  int64_t pairs = 0;           // of the validation set, over which the heads are described
  std::vector<PageRow> heads;  // the role and the figures of each
  std::vector<WatchedView> sentences;

  HeadCounts head_counts() const;
};

// The file of a step is complete or not there.
void save_watched_step(const std::filesystem::path& model, const WatchedStep& step);
// An Error names the file if it is damaged.
WatchedStep load_watched_step(const std::filesystem::path& model, int64_t step);

// In the order of training; none if nothing was watched.
std::vector<int64_t> watched_steps(const std::filesystem::path& model);

// Removes what belongs to steps that will be repeated, and what a killed program has left.
void forget_watched_steps(const std::filesystem::path& model, int64_t after);

}  // namespace heed
