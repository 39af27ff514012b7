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
  }
  __builtin_unreachable();
}

bool higher_is_better(Criterion criterion) {
  return criterion == Criterion::bleu || criterion == Criterion::chrf;
}

double Validation::perplexity() const { return std::exp(cross_entropy); }

double Validation::value(Criterion criterion) const {
  require(!higher_is_better(criterion) || translations.has_value(),
          "validation: {} needs translations, but there are none", name_of(criterion));
  switch (criterion) {
    case Criterion::cross_entropy:
      return cross_entropy;
    case Criterion::perplexity:
      return perplexity();
    case Criterion::bleu:
      return translations->bleu;
    case Criterion::chrf:
      return translations->chrf;
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
    loss(tape, model, batch, {.negative_likelihood = &sums[index]});
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
