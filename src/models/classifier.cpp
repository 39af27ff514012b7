#include "heed/models/classifier.h"

#include "heed/attention/pooling.h"
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
  require(config.labels >= 2, "classifier: {} labels but at least 2 were expected", config.labels);
  check_dropout(config.dropout, "classifier");
}

Classifier::Classifier(const ClassifierConfig& config, Initialiser init)
    : config_(checked(config)),
      encoder_(config.encoder, init),
      output_(config.encoder.width, config.labels, init) {
  // Zeros: the mean to begin with.
  if (config.pooling == TextPooling::attention) query_ = Tensor::zeros({config.encoder.width});
}

Variable Classifier::features(Tape& tape, const TokenBatch& texts,
                              AttentionRecorder* recorder) const {
  const Variable x = encoder_.encode(tape, texts, recorder);
  const auto pooled = [&] {
    switch (config_.pooling) {
      case TextPooling::mean:
        return mean_pooling(x, texts.layout);
      case TextPooling::max:
        return max_pooling(x, texts.layout);
      case TextPooling::first:
        return first_pooling(x, texts.layout);
      case TextPooling::attention:
        return learned_pooling(x, texts.layout, tape.watch(query_));
    }
    __builtin_unreachable();
  };
  return dropout(pooled(), config_.dropout);
}

Variable Classifier::logits(Tape& tape, const TokenBatch& texts) const {
  return output_(features(tape, texts));
}

Variable Classifier::loss(Tape& tape, const TokenBatch& texts, std::span<const int32_t> labels,
                          const CrossEntropyOptions& options) const {
  require(static_cast<int64_t>(labels.size()) == texts.layout.sequences(),
          "classifier: {} labels for {} texts", labels.size(), texts.layout.sequences());
  return linear_cross_entropy(features(tape, texts), tape.watch(output_.weight()),
                              tape.watch(output_.bias()), labels, options);
}

void Classifier::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  encoder_.visit_parameters(dotted(prefix, "bert"), visit);
  if (query_.present()) visit(dotted(prefix, "pooling.query"), query_);
  output_.visit_parameters(dotted(prefix, "classifier"), visit);
}

}  // namespace heed
