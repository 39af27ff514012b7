#include "heed/decoding/ensemble.h"

#include <algorithm>
#include <cmath>
#include <numeric>
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

  void add(const TokenBatch& source, std::optional<AttentionChoice> attention) override {
    const int64_t before = hypotheses();
    size_t added = 0;
    try {
      for (; added < decoders_.size(); ++added) decoders_[added]->add(source, attention);
    } catch (...) {
      // All have the sentences or none.
      std::vector<int64_t> without(static_cast<size_t>(before));
      std::iota(without.begin(), without.end(), 0);
      for (size_t i = 0; i < added; ++i) decoders_[i]->select(without);
      throw;
    }
  }

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

Ensemble::Ensemble(std::vector<std::shared_ptr<const Generator>> models)
    : models_(std::move(models)) {
  require(!models_.empty(), "ensemble: there is no model");
}

std::unique_ptr<Decoder> Ensemble::make_decoder() const {
  std::vector<std::unique_ptr<Decoder>> decoders;
  for (const auto& model : models_) decoders.push_back(model->make_decoder());
  return std::make_unique<EnsembleDecoder>(std::move(decoders));
}

int64_t Ensemble::max_length() const {
  int64_t shortest = Generator::max_length();
  for (const auto& model : models_) shortest = std::min(shortest, model->max_length());
  return shortest;
}

}  // namespace heed
