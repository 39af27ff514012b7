#include "heed/models/classifier.h"

#include "heed/attention/pooling.h"
#include "heed/autograd/binary_cross_entropy.h"
#include "heed/autograd/dropout.h"
#include "heed/base/error.h"

namespace heed {

namespace {

const ClassifierConfig& checked(const ClassifierConfig& config) {
  check(config);
  return config;
}

}  // namespace

void check(const ClassifierConfig& config) {
  check(config.encoder);
  const int64_t fewest = config.several_labels ? 1 : 2;
  require(config.labels >= fewest, "classifier: {} labels but at least {} were expected",
          config.labels, fewest);
  check_dropout(config.dropout, "classifier");
}

Classifier::Classifier(const ClassifierConfig& config, Initialiser init)
    : config_(checked(config)),
      encoder_(config.encoder, init),
      output_(config.encoder.width, config.labels, init) {
  const int64_t width = config.encoder.width;
  // Zeros: the mean to begin with.
  if (config.pooling == TextPooling::attention) query_ = Tensor::zeros({width});
  if (config.pooling == TextPooling::pooler)
    pooler_.emplace(width, width, init, LinearOptions{.activation = Activation::tanh});
}

Variable Classifier::pooled(const Variable& encoded, const Ragged& layout) const {
  switch (config_.pooling) {
    case TextPooling::mean:
      return mean_pooling(encoded, layout);
    case TextPooling::max:
      return max_pooling(encoded, layout);
    case TextPooling::first:
      return first_pooling(encoded, layout);
    case TextPooling::attention:
      return learned_pooling(encoded, layout, encoded.tape().watch(query_));
    case TextPooling::pooler:
      return (*pooler_)(first_pooling(encoded, layout));
  }
  __builtin_unreachable();
}

Variable Classifier::features(Tape& tape, const Batch& batch) const {
  const TokenBatch& texts = batch.source;
  return dropout(pooled(encoder_.encode(tape, texts), texts.layout), config_.dropout);
}

Variable Classifier::loss(Tape& tape, const Batch& batch,
                          const CrossEntropyOptions& options) const {
  const int64_t texts = batch.source.layout.sequences();
  const int64_t expected = config_.several_labels ? texts * config_.labels : texts;
  require(static_cast<int64_t>(batch.target.ids.size()) == expected,
          "classifier: {} {} for {} texts", batch.target.ids.size(),
          config_.several_labels ? "answers" : "labels", texts);
  const Variable vectors = features(tape, batch);
  if (config_.several_labels)
    return binary_cross_entropy(output_(vectors), batch.target.ids, options);
  return linear_cross_entropy(vectors, tape.watch(output_.weight()), tape.watch(output_.bias()),
                              batch.target.ids, options);
}

Variable Classifier::logits_of(const Variable& encoded, const Ragged& layout) const {
  return output_(pooled(encoded, layout));
}

std::optional<Tensor> Classifier::pooling_weights(const Variable& encoded,
                                                  const Ragged& layout) const {
  if (config_.pooling != TextPooling::attention) return std::nullopt;
  return learned_pooling_weights(encoded, layout, encoded.tape().watch(query_));
}

int64_t Classifier::source_multiplications() const { return encoder_.multiplications_per_token(); }

int64_t Classifier::target_multiplications() const {
  return config_.encoder.width * (config_.several_labels ? 1 : config_.labels);
}

void Classifier::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  encoder_.visit_parameters(dotted(prefix, "bert"), visit);
  if (pooler_) pooler_->visit_parameters(dotted(prefix, "bert.pooler.dense"), visit);
  if (query_.present()) visit(dotted(prefix, "pooling.query"), query_);
  output_.visit_parameters(dotted(prefix, "classifier"), visit);
}

}  // namespace heed
