#include "heed/training/validation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"
#include "tensors.h"
#include "tiny_training.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::tiny_model;
using heed::testing::tiny_shards;
using heed::testing::values_of;

std::vector<ValidationBatch> some_batches() {
  std::vector<ValidationBatch> batches;
  for (const Batch& batch : tiny_shards(5, 1, 3)) batches.push_back({batch, {}});
  return batches;
}

TEST(Validation, MeasuresTheMeanOverAllTokens) {
  const std::unique_ptr<Model> model = tiny_model();
  double sum = 0;
  size_t tokens = 0;
  for (const ValidationBatch& one : some_batches()) {
    Tape tape;
    const Tensor scores = logits(tape, *model, one.batch).value();
    for (size_t t = 0; t < one.batch.target.ids.size(); ++t) {
      const int64_t index = static_cast<int64_t>(t);
      const std::vector<double> row = values_of(scores.slice(index, index + 1));
      double all = 0;
      for (const double score : row) all += std::exp(score);
      sum += std::log(all) - row[static_cast<size_t>(one.batch.target.ids[t])];
      ++tokens;
    }
  }
  Workers workers(1);
  EXPECT_NEAR(cross_entropy_of(*model, some_batches(), workers), sum / static_cast<double>(tokens),
              1e-5);
}

TEST(Validation, DoesNotDependOnTheWorkers) {
  const std::unique_ptr<Model> model = tiny_model();
  const auto measured = [&](int count) {
    Workers workers(count);
    return cross_entropy_of(*model, some_batches(), workers);
  };
  EXPECT_EQ(measured(2), measured(1));
  EXPECT_EQ(measured(4), measured(1));
}

TEST(Validation, IsSharedAmongTheRanks) {
  const std::unique_ptr<Model> model = tiny_model();
  Workers alone_worker(1);
  const double expected = cross_entropy_of(*model, some_batches(), alone_worker);
  for (const int count : {2, 3, 9})
    testing::run_ranks(count, [&](Communicator& ranks) {
      Workers workers(1);
      EXPECT_EQ(cross_entropy_of(*model, some_batches(), workers, ranks), expected);
    });
}

TEST(Validation, NeedsSentences) {
  Workers workers(1);
  EXPECT_EQ(error_of([&] { cross_entropy_of(*tiny_model(), {}, workers); }),
            "validation: there are no sentences to validate with");
}

TEST(Validation, IsJudgedByACriterion) {
  Validation validation{.cross_entropy = 2.0, .outputs = {}};
  EXPECT_DOUBLE_EQ(validation.value(Criterion::cross_entropy), 2.0);
  EXPECT_DOUBLE_EQ(validation.value(Criterion::perplexity), std::exp(2.0));
  EXPECT_EQ(error_of([&] { validation.value(Criterion::bleu); }), "validation: there is no bleu");
  validation.outputs = OutputScores{.bleu = 30, .chrf = 50, .samples = {}};
  EXPECT_DOUBLE_EQ(validation.value(Criterion::bleu), 30);
  EXPECT_DOUBLE_EQ(validation.value(Criterion::chrf), 50);
  EXPECT_FALSE(higher_is_better(Criterion::cross_entropy));
  EXPECT_FALSE(higher_is_better(Criterion::perplexity));
  EXPECT_TRUE(higher_is_better(Criterion::bleu));
  EXPECT_TRUE(higher_is_better(Criterion::chrf));
}

}  // namespace
}  // namespace heed
