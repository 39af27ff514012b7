#include "heed/training/validation.h"

#include <cmath>

#include "heed/autograd/cross_entropy.h"
#include "heed/base/error.h"

namespace heed {

std::string_view name_of(Metric metric) {
  switch (metric) {
    case Metric::cross_entropy:
      return "cross-entropy";
    case Metric::perplexity:
      return "perplexity";
    case Metric::bleu:
      return "bleu";
    case Metric::chrf:
      return "chrf";
  }
  __builtin_unreachable();
}

bool higher_is_better(Metric metric) { return metric == Metric::bleu || metric == Metric::chrf; }

double Validation::perplexity() const { return std::exp(cross_entropy); }

double Validation::value(Metric metric) const {
  require(!higher_is_better(metric) || translations.has_value(),
          "validation: {} needs translations, and there are none", name_of(metric));
  switch (metric) {
    case Metric::cross_entropy:
      return cross_entropy;
    case Metric::perplexity:
      return perplexity();
    case Metric::bleu:
      return translations->bleu;
    case Metric::chrf:
      return translations->chrf;
  }
  __builtin_unreachable();
}

double cross_entropy_of(const Model& model, std::span<const ValidationBatch> batches, Workers& workers) {
  std::vector<double> sums(batches.size());
  workers.run(static_cast<int64_t>(batches.size()), [&](int64_t task, int) {
    const size_t index = static_cast<size_t>(task);
    const Batch& batch = batches[index].batch;
    Tape tape({.record = false});
    const OutputLayer output = model.output_layer();
    const Variable bias = output.bias.present() ? tape.constant(output.bias) : Variable();
    linear_cross_entropy(model.features(tape, batch), tape.constant(output.weight), bias, batch.target.ids,
                         {.negative_likelihood = &sums[index]});
  });
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
