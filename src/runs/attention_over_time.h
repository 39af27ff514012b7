// How the heads of a model came about: what a training run has watched, step by step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/runs/attention_picture.h"
#include "heed/runs/watched_step.h"
#include "heed/visualisation/attention_page.h"

namespace heed {

// The steps are in files; one of them is in memory at a time.
class AttentionHistory {
 public:
  // Of all sentences, or of those with this source. An Error if none was watched.
  explicit AttentionHistory(std::filesystem::path model, std::optional<std::string> source = {});

  const std::vector<int64_t>& steps() const { return steps_; }
  WatchedStep load(int64_t step) const;
  WatchedStep last() const { return load(steps_.back()); }

 private:
  std::filesystem::path model_;
  std::optional<std::string> source_;
  std::vector<int64_t> steps_;
};

inline constexpr size_t most_steps_on_a_page = 100;
inline constexpr size_t most_steps_in_a_picture = 8;

// At most `most` of the steps, evenly spread, the first and the last among them.
std::vector<int64_t> spread_steps(const std::vector<int64_t>& steps, size_t most);

// An Error if the model does not have what the choice names. A sentence that was not watched at
// some step is missing there.
AttentionPage over_time_page(const AttentionHistory& history, const std::string& title,
                             const HeadChoice& choice);

// One head at several steps, side by side, for the first of the sentences: the head that is chosen,
// or the one that aligns best in the end.
std::string over_time_svg(const AttentionHistory& history, const HeadChoice& choice,
                          TokenUnit unit);

// A line for each sentence: the object of attention_json with the step before the rest.
std::string over_time_json(const WatchedStep& step, const HeadChoice& choice = {});

// Since when each head has had the role that it has, and its roles before. For people.
std::string over_time_text(const AttentionHistory& history);

}  // namespace heed
