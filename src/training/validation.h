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

enum class Criterion { cross_entropy, perplexity, bleu, chrf };

std::string_view name_of(Criterion criterion);
bool higher_is_better(Criterion criterion);

struct SampleTranslation {
  std::string source, reference, translation;
};

// Scores of translations, computed by whoever can translate.
struct TranslationScores {
  double bleu = 0;
  double chrf = 0;
  std::vector<SampleTranslation> samples;
};

struct Validation {
  int64_t step = 0;
  int64_t epoch = 0;
  double cross_entropy = 0;  // -log of the probability of a target token, in nats
  // The cross-entropy and all weights are finite; otherwise the model is useless.
  bool finite = true;
  std::optional<TranslationScores> translations;
  double seconds = 0;
  bool best = false;

  double perplexity() const;
  // An Error if it needs translations and there are none.
  double value(Criterion criterion) const;
};

// The mean over the target tokens of all batches, without label smoothing. The ranks share the
// batches, and all of them find the same.
double cross_entropy_of(const PredictingModel& model, std::span<const ValidationBatch> batches,
                        Workers& workers, Communicator& ranks = alone());

}  // namespace heed
