#include "heed/decoding/ensemble.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chain_model.h"
#include "close.h"
#include "error_of.h"
#include "heed/decoding/session.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::ChainModel;
using testing::close;
using testing::error_of;
using testing::values_of;

const TokenBatch source{{3, 4, 0, 5, 0}, Ragged({3, 2})};

std::unique_ptr<Ensemble> ensemble_of(const std::vector<double>& spreads, int64_t vocabulary = 7) {
  std::vector<std::shared_ptr<const Generator>> models;
  for (const double spread : spreads)
    models.push_back(std::make_shared<ChainModel>(vocabulary, spread));
  return std::make_unique<Ensemble>(std::move(models));
}

std::unique_ptr<Decoder> decoder_of(const Generator& model) {
  std::unique_ptr<Decoder> decoder = model.make_decoder();
  decoder->add(source);
  return decoder;
}

std::vector<double> probabilities(const Tensor& logits) {
  std::vector<double> found = values_of(logits);
  const size_t columns = static_cast<size_t>(logits.shape().columns());
  for (size_t row = 0; row < found.size(); row += columns) {
    double sum = 0;
    for (size_t c = 0; c < columns; ++c) sum += found[row + c] = std::exp(found[row + c]);
    for (size_t c = 0; c < columns; ++c) found[row + c] /= sum;
  }
  return found;
}

TEST(Ensemble, ScoresByTheMeanProbability) {
  const auto ensemble = ensemble_of({1.0, 3.0});
  const ChainModel one(7, 1.0), other(7, 3.0);
  const auto both = decoder_of(*ensemble), first = decoder_of(one), second = decoder_of(other);
  for (const std::vector<int32_t>& tokens : {std::vector<int32_t>{6, 6}, {1, 2}}) {
    const std::vector<double> a = probabilities(first->step(tokens)),
                              b = probabilities(second->step(tokens));
    std::vector<double> mean;
    for (size_t i = 0; i < a.size(); ++i) mean.push_back((a[i] + b[i]) / 2);
    EXPECT_TRUE(close(probabilities(both->step(tokens)), mean, 1e-5, 1e-6));
  }
}

TEST(Ensemble, OfOneModelTwiceTranslatesLikeIt) {
  const auto twice = ensemble_of({2.0, 2.0});
  const ChainModel once(7, 2.0);
  const SentenceBounds bounds{.start = 6, .end = 0};
  const SearchOptions options{.beam = 3, .n_best = 3, .want_attention = true};
  const auto found = search_translations(*twice, source, bounds, options),
             expected = search_translations(once, source, bounds, options);
  for (size_t s = 0; s < 2; ++s)
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(found[s][i].ids, expected[s][i].ids);
      EXPECT_NEAR(found[s][i].score, expected[s][i].score, 1e-5);
      EXPECT_TRUE(
          close(values_of(found[s][i].attention), values_of(expected[s][i].attention), 1e-5, 1e-6));
    }
}

// One that takes no sentence at all.
class RefusingModel : public ChainModel {
 public:
  using ChainModel::ChainModel;
  std::unique_ptr<Decoder> make_decoder() const override {
    class Refusing : public testing::ChainDecoder {
      using ChainDecoder::ChainDecoder;
      void add(const TokenBatch&, std::optional<AttentionChoice>) override { fail("no"); }
    };
    return std::make_unique<Refusing>(*this);
  }
};

TEST(Ensemble, AllModelsHaveASentenceOrNone) {
  std::vector<std::shared_ptr<const Generator>> models = {std::make_shared<ChainModel>(7),
                                                          std::make_shared<RefusingModel>(7)};
  const Ensemble both(models);
  const std::unique_ptr<Decoder> decoder = both.make_decoder();
  EXPECT_EQ(error_of([&] { decoder->add(source); }), "no");
  EXPECT_EQ(decoder->hypotheses(), 0);
}

TEST(Ensemble, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of([] { ensemble_of({}); }), "ensemble: there is no model");
  std::vector<std::shared_ptr<const Generator>> models;
  models.push_back(std::make_shared<ChainModel>(7));
  models.push_back(std::make_shared<ChainModel>(8));
  const Ensemble different(std::move(models));
  EXPECT_EQ(error_of([&] {
              decoder_of(different)->step(std::vector<int32_t>{6, 6});
            }),
            "ensemble: one model scores 7 words, another 8");
}

}  // namespace
}  // namespace heed
