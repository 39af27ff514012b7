#include "heed/training/validation.h"

#include <cmath>

#include "heed/base/error.h"

namespace heed {

std::string_view name_of(Criterion criterion) {
  switch (criterion) {
    case Criterion::cross_entropy:
      return "cross-entropy";
    case Criterion::perplexity:
      return "perplexity";
    case Criterion::bleu:
      return "bleu";
    case Criterion::chrf:
      return "chrf";
    case Criterion::accuracy:
      return "accuracy";
    case Criterion::f1:
      return "f1";
  }
  __builtin_unreachable();
}

bool higher_is_better(Criterion criterion) {
  return criterion != Criterion::cross_entropy && criterion != Criterion::perplexity;
}

double Validation::perplexity() const { return std::exp(cross_entropy); }

double Validation::value(Criterion criterion) const {
  const auto score = [&](const std::optional<double> OutputScores::*which) {
    require(outputs && (*outputs).*which, "validation: there is no {}", name_of(criterion));
    return *((*outputs).*which);
  };
  switch (criterion) {
    case Criterion::cross_entropy:
      return cross_entropy;
    case Criterion::perplexity:
      return perplexity();
    case Criterion::bleu:
      return score(&OutputScores::bleu);
    case Criterion::chrf:
      return score(&OutputScores::chrf);
    case Criterion::accuracy:
      return score(&OutputScores::accuracy);
    case Criterion::f1:
      return score(&OutputScores::f1);
  }
  __builtin_unreachable();
}

double cross_entropy_of(const PredictingModel& model, std::span<const ValidationBatch> batches,
                        Workers& workers, Communicator& ranks) {
  std::vector<double> sums(batches.size());
  const Range share = share_of(static_cast<int64_t>(batches.size()), ranks);
  workers.run(share.size(), [&](int64_t task, int) {
    const size_t index = static_cast<size_t>(share.begin + task);
    const Batch& batch = batches[index].batch;
    Tape tape({.record = false});
    model.loss(tape, batch, {.negative_likelihood = &sums[index]});
  });
  gather_shares<double>(ranks, sums);
  double sum = 0;
  int64_t tokens = 0;
  for (size_t i = 0; i < batches.size(); ++i) {
    sum += sums[i];
    tokens += batches[i].batch.target.layout.tokens();
  }
  require(tokens > 0, "validation: there are no sentences to validate with");
  return sum / static_cast<double>(tokens);
}

}  // namespace heed
