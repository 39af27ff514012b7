// The quality of a model on held-out sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/communicator.h"
#include "heed/base/workers.h"
#include "heed/data/validation_batches.h"
#include "heed/models/model.h"

namespace heed {

enum class Criterion { cross_entropy, perplexity, bleu, chrf, accuracy, f1 };

std::string_view name_of(Criterion criterion);
bool higher_is_better(Criterion criterion);

// What a model made of a held-out text: a translation, a continuation, a label.
struct SampleOutput {
  std::string source, reference, output;
};

// Scores of what a model says, computed by whoever can make it speak: those that its task has.
struct OutputScores {
  std::optional<double> bleu = {}, chrf = {};    // of translations
  std::optional<double> accuracy = {}, f1 = {};  // of labels, in percent
  std::vector<SampleOutput> samples = {};
};

// What a model makes of text that it should not forget.
struct GeneralScores {
  double cross_entropy = 0;
  std::optional<OutputScores> outputs = {};
};

struct Validation {
  int64_t step = 0;
  int64_t epoch = 0;
  double cross_entropy = 0;  // -log of the probability of a target token, in nats
  // The cross-entropy and all weights are finite; otherwise the model is useless.
  bool finite = true;
  std::optional<OutputScores> outputs;
  std::optional<GeneralScores> general = {};  // if there is such text
  double seconds = 0;
  bool best = false;

  double perplexity() const;
  // An Error if it is a score of the model's output and there is none.
  double value(Criterion criterion) const;
};

// The mean over the target tokens of all batches, without label smoothing. The ranks share the
// batches, and all of them find the same.
double cross_entropy_of(const PredictingModel& model, std::span<const ValidationBatch> batches,
                        Workers& workers, Communicator& ranks = alone());

}  // namespace heed
