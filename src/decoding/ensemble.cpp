#include "heed/decoding/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"
#include "heed/kernels/softmax.h"

namespace heed {

namespace {

class EnsembleDecoder final : public Decoder {
 public:
  explicit EnsembleDecoder(std::vector<std::unique_ptr<Decoder>> decoders)
      : decoders_(std::move(decoders)) {}

  int64_t hypotheses() const override { return decoders_.front()->hypotheses(); }

  Tensor step(std::span<const int32_t> tokens) override {
    const auto share = 1.0f / static_cast<float>(decoders_.size());
    Tensor mean;
    for (const auto& decoder : decoders_) {
      Tensor scores = decoder->step(tokens);
      kernels::softmax(std::as_const(scores).span<float>(), scores.span<float>(),
                       scores.shape().columns());
      if (!mean.present()) mean = Tensor::zeros(scores.shape());
      require(scores.shape() == mean.shape(), "ensemble: one model scores {} words, another {}",
              mean.shape().columns(), scores.shape().columns());
      kernels::add_scaled(share, std::as_const(scores).span<float>(), mean.span<float>());
    }
    for (float& probability : mean.span<float>()) probability = std::log(probability);
    return mean;
  }

  void select(std::span<const int64_t> from) override {
    for (const auto& decoder : decoders_) decoder->select(from);
  }

  Tensor attention() const override {
    Tensor sum;
    float count = 0;
    for (const auto& decoder : decoders_) {
      const Tensor weights = decoder->attention();
      if (!weights.present()) continue;
      if (!sum.present()) sum = Tensor::zeros(weights.shape());
      kernels::add_scaled(1.0f, weights.span<float>(), sum.span<float>());
      ++count;
    }
    if (sum.present())
      kernels::scale(1 / count, std::as_const(sum).span<float>(), sum.span<float>());
    return sum;
  }

 private:
  std::vector<std::unique_ptr<Decoder>> decoders_;
};

}  // namespace

Ensemble::Ensemble(std::vector<std::unique_ptr<Model>> models) : models_(std::move(models)) {
  require(!models_.empty(), "ensemble: there is no model");
}

std::unique_ptr<Decoder> Ensemble::decode(const TokenBatch& source,
                                          const DecoderOptions& options) const {
  std::vector<std::unique_ptr<Decoder>> decoders;
  for (const auto& model : models_) decoders.push_back(model->decode(source, options));
  return std::make_unique<EnsembleDecoder>(std::move(decoders));
}

void Ensemble::make_ready(Precision precision) {
  for (const auto& model : models_) model->make_ready(precision);
}

int64_t Ensemble::context_length() const {
  int64_t shortest = Model::context_length();
  for (const auto& model : models_) shortest = std::min(shortest, model->context_length());
  return shortest;
}

void Ensemble::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  for (size_t i = 0; i < models_.size(); ++i)
    models_[i]->visit_parameters(dotted(prefix, fmt::format("{}", i)), visit);
}

int64_t Ensemble::source_multiplications() const {
  int64_t sum = 0;
  for (const auto& model : models_) sum += model->source_multiplications();
  return sum;
}

int64_t Ensemble::target_multiplications() const {
  int64_t sum = 0;
  for (const auto& model : models_) sum += model->target_multiplications();
  return sum;
}

Variable Ensemble::features(Tape&, const Batch&) const {
  fail("ensemble: it has no features of its own");
}
OutputLayer Ensemble::output_layer() const { fail("ensemble: it has no output layer of its own"); }

}  // namespace heed
