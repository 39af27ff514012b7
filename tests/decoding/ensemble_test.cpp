#include "heed/decoding/ensemble.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chain_model.h"
#include "close.h"
#include "error_of.h"
#include "heed/decoding/beam_search.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::ChainModel;
using testing::close;
using testing::error_of;
using testing::values_of;

const TokenBatch source{{3, 4, 0, 5, 0}, Ragged({3, 2})};

std::unique_ptr<Ensemble> ensemble_of(const std::vector<double>& spreads, int64_t vocabulary = 7) {
  std::vector<std::unique_ptr<Model>> models;
  for (const double spread : spreads)
    models.push_back(std::make_unique<ChainModel>(vocabulary, spread));
  return std::make_unique<Ensemble>(std::move(models));
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
  const auto both = ensemble->decode(source);
  const ChainModel one(7, 1.0), other(7, 3.0);
  const auto first = one.decode(source, {}), second = other.decode(source, {});
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
  const auto found = beam_search(*twice, source, bounds, options),
             expected = beam_search(once, source, bounds, options);
  for (size_t s = 0; s < 2; ++s)
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(found[s][i].ids, expected[s][i].ids);
      EXPECT_NEAR(found[s][i].score, expected[s][i].score, 1e-5);
      EXPECT_TRUE(
          close(values_of(found[s][i].attention), values_of(expected[s][i].attention), 1e-5, 1e-6));
    }
}

TEST(Ensemble, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of([] { ensemble_of({}); }), "ensemble: there is no model");
  std::vector<std::unique_ptr<Model>> models;
  models.push_back(std::make_unique<ChainModel>(7));
  models.push_back(std::make_unique<ChainModel>(8));
  const Ensemble different(std::move(models));
  EXPECT_EQ(error_of([&] {
              different.decode(source)->step(std::vector<int32_t>{6, 6});
            }),
            "ensemble: one model scores 7 words, another 8");
}

}  // namespace
}  // namespace heed
