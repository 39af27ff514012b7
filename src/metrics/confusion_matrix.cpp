#include "heed/metrics/confusion_matrix.h"

#include "heed/base/error.h"

namespace heed {

namespace {

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double LabelCounts::precision() const { return share(right, right + wrong); }
double LabelCounts::recall() const { return share(right, right + missed); }
double LabelCounts::f1() const { return share(2 * right, 2 * right + wrong + missed); }

ConfusionMatrix::ConfusionMatrix(int64_t labels) : labels_(labels) {
  require(labels >= 1, ErrorKind::usage, "confusion matrix: {} labels but at least 1 was expected",
          labels);
  counts_.assign(static_cast<size_t>(labels * labels), 0);
}

void ConfusionMatrix::add(int64_t label, int64_t given) {
  for (const int64_t one : {label, given})
    require(one >= 0 && one < labels_, ErrorKind::usage,
            "confusion matrix: label {} but 0 to {} were expected", one, labels_ - 1);
  ++counts_[static_cast<size_t>(label * labels_ + given)];
  ++texts_;
}

int64_t ConfusionMatrix::count(int64_t label, int64_t given) const {
  return counts_[static_cast<size_t>(label * labels_ + given)];
}

LabelCounts ConfusionMatrix::counts(int64_t label) const {
  LabelCounts found{.right = count(label, label)};
  for (int64_t other = 0; other < labels_; ++other) {
    if (other == label) continue;
    found.wrong += count(other, label);
    found.missed += count(label, other);
  }
  return found;
}

double ConfusionMatrix::accuracy() const {
  int64_t right = 0;
  for (int64_t label = 0; label < labels_; ++label) right += count(label, label);
  return share(right, texts_);
}

double ConfusionMatrix::macro_f1() const {
  double sum = 0;
  int64_t seen = 0;
  for (int64_t label = 0; label < labels_; ++label) {
    const LabelCounts found = counts(label);
    if (found.right + found.wrong + found.missed == 0) continue;
    sum += found.f1();
    ++seen;
  }
  return seen == 0 ? 0.0 : sum / static_cast<double>(seen);
}

}  // namespace heed
