// Draws translations at random, token by token.
#pragma once

#include "heed/base/random.h"
#include "heed/decoding/sentence_search.h"

namespace heed {

// As many samples as the n best that are wanted. The log-probabilities are the model's own,
// whatever the temperature.
class SampleSearch final : public SentenceSearch {
 public:
  SampleSearch(Request request, const SentenceBounds& bounds);  // its options have `sampling`

  // The one with the highest score first.
  std::vector<Hypothesis> take_results() override;

 private:
  struct Sample {
    int number;    // from 0
    int64_t node;  // in the history
    double log_probability;
    Rng rng;
  };

  void choose(kernels::MatrixView<float> scores,
              kernels::MatrixView<const float> attention) override;
  // The token that comes next in a sample, by the scores of its row.
  int32_t extend(Sample& sample, int64_t row, std::span<float> scores);

  std::vector<Sample> samples_;  // that go on, one for each row
  std::vector<Hypothesis> ended_;
};

// The likeliest token, and the lowest of those that are.
int32_t likeliest_token(std::span<const float> scores);

// The token that a number in [0, 1) selects from softmax(scores / temperature), among the likeliest
// ones.
int32_t draw_token(std::span<const float> scores, const Sampling& sampling, double number);

}  // namespace heed
