// Models that get little or nothing to read, and models whose numbers are none: every kind.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model_kinds.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::values_of;
using namespace heed::testing::model_kinds;

using Sentences = std::vector<std::vector<int32_t>>;

Batch batch_of(const Sentences& sources, const Sentences& targets) {
  return {join_sentences(sources), join_sentences(targets)};
}

bool is_finite(const Tensor& tensor) {
  return std::ranges::all_of(values_of(tensor), [](double value) { return std::isfinite(value); });
}

// The logits; their gradients have flowed back and are finite.
std::vector<double> learnt_logits(Model& model, const Batch& batch) {
  Tape tape;
  const Variable scores = logits(tape, model, batch);
  EXPECT_EQ(scores.shape(), (Shape{batch.target.layout.tokens(), vocabulary}));
  EXPECT_TRUE(is_finite(scores.value()));
  const std::vector<double> found = values_of(scores.value());
  tape.backward(model.loss(tape, batch));
  model.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    EXPECT_TRUE(is_finite(tape.gradient_of(value))) << name;
  });
  return found;
}

// A sentence that is empty but for its end, one of a single word, one without even an end.
const Sentences short_sources = {{0}, {5, 0}, {}, {3, 4, 0}};
const Sentences short_targets = {{7, 0}, {0}, {2, 0}, {}};

TEST(ModelEdges, TheShortestSentencesAreReadLikeAnyOther) {
  for_every_kind([](Model& model, const Kind&) {
    const std::vector<double> together =
        learnt_logits(model, batch_of(short_sources, short_targets));
    size_t row = 0;
    for (size_t i = 0; i < short_sources.size(); ++i)
      for (const double alone :
           learnt_logits(model, batch_of({short_sources[i]}, {short_targets[i]})))
        EXPECT_NEAR(together[row++], alone, 1e-5) << "sentence " << i;
  });
}

TEST(ModelEdges, ABatchOfNothingGivesNothing) {
  for_every_kind([](Model& model, const Kind&) {
    for (const Sentences& none : {Sentences{}, Sentences{{}, {}}}) {
      EXPECT_TRUE(learnt_logits(model, batch_of(none, none)).empty());
      Tape tape;
      EXPECT_EQ(model.loss(tape, batch_of(none, none)).value()[0], 0);
    }
  });
}

TEST(ModelEdges, DecodersTakeTheShortestSentencesAndNone) {
  for_every_kind([](Model& model, const Kind& kind) {
    const TokenBatch read = join_sentences(short_sources);
    const std::shared_ptr<const Generator> generator = model.prepare(Precision::float32);
    const std::unique_ptr<Decoder> decoder = generator->make_decoder();
    decoder->add(read, kind.attends ? std::optional(AttentionChoice()) : std::nullopt);
    const Tensor scores = decoder->step(std::vector<int32_t>(short_sources.size(), start));
    EXPECT_TRUE(is_finite(scores));
    if (kind.attends) {
      ASSERT_EQ(decoder->attention().shape(), (Shape{4, 3}));
      const std::vector<double> weights = values_of(decoder->attention());
      EXPECT_NEAR(weights[0], 1, 1e-6);                             // the end alone
      for (const size_t at : {6, 7, 8}) EXPECT_EQ(weights[at], 0);  // nothing to look at
    }
    const std::unique_ptr<Decoder> idle = generator->make_decoder();
    EXPECT_EQ(idle->hypotheses(), 0);
    idle->add(join_sentences(Sentences{}));
    EXPECT_EQ(idle->hypotheses(), 0);
    EXPECT_EQ(idle->step({}).elements(), 0);
  });
}

// No part of a model swallows what is no number: wherever it stands, the loss says so, and a run of
// training or a search can notice it.
TEST(ModelEdges, AWeightThatIsNoNumberIsSeenInTheLoss) {
  for_every_kind([](Model&, const Kind& kind) {
    std::vector<std::string> names;
    kind.make()->visit_parameters({},
                                  [&](const std::string& name, Tensor&) { names.push_back(name); });
    for (const std::string& poisoned : names) {
      const std::unique_ptr<Model> model = kind.make();
      model->visit_parameters({}, [&](const std::string& name, Tensor& value) {
        if (name == poisoned) value.fill(std::numeric_limits<double>::quiet_NaN());
      });
      Tape tape;
      const Batch batch = batch_of({{5, 3, 0}, {1, 0}}, {{4, 2, 0}, {7, 8, 9, 0}});
      EXPECT_TRUE(std::isnan(model->loss(tape, batch).value()[0])) << poisoned;
      const std::shared_ptr<const Generator> generator = model->prepare(Precision::float32);
      const std::unique_ptr<Decoder> decoder = generator->make_decoder();
      decoder->add(batch.source);
      decoder->step(std::vector<int32_t>{start, start});
      EXPECT_FALSE(is_finite(decoder->step(std::vector<int32_t>{4, 7}))) << poisoned;
    }
  });
}

}  // namespace
}  // namespace heed
