// How well texts were classified: which label was taken for which, accuracy, and F1.
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

// Counts of one label.
struct LabelCounts {
  int64_t right = 0;   // texts that have it and were given it
  int64_t wrong = 0;   // texts that were given it and do not have it
  int64_t missed = 0;  // texts that have it and were not given it

  double precision() const;  // 0 where it was never given
  double recall() const;     // 0 where no text has it
  double f1() const;         // 2 right / (2 right + wrong + missed), 0 where nothing was counted
};

// Texts with one label each. Labels are numbered from 0.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(int64_t labels);  // at least 1

  void add(int64_t label, int64_t given);

  int64_t labels() const { return labels_; }
  int64_t texts() const { return texts_; }
  int64_t count(int64_t label, int64_t given) const;
  LabelCounts counts(int64_t label) const;

  double accuracy() const;  // 0 without texts
  // The mean of the labels' F1, over those that a text has or was given.
  double macro_f1() const;

 private:
  int64_t labels_, texts_ = 0;
  std::vector<int64_t> counts_;  // (labels, given)
};

}  // namespace heed
