#include "heed/models/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "close_tensors.h"
#include "heed/models/transformer.h"
#include "model_kinds.h"

namespace heed {
namespace {

TEST(Model, ItsLossIsTheCrossEntropyOfItsLogits) {
  Rng rng(1);
  const Transformer model({.source_vocabulary = 9,
                           .target_vocabulary = 9,
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .width = 8,
                           .ffn = 8,
                           .heads = 2},
                          rng);
  const Batch batch = {join_sentences(std::vector<std::vector<int32_t>>{{3, 4, 0}}),
                       join_sentences(std::vector<std::vector<int32_t>>{{5, 0}})};
  Tape tape;
  const Variable scores = logits(tape, model, batch);
  EXPECT_EQ(scores.shape(), (Shape{2, 9}));
  for (const double smoothing : {0.0, 0.1}) {
    const CrossEntropyOptions options = {.label_smoothing = smoothing};
    EXPECT_NEAR(model.loss(tape, batch, options).value()[0],
                cross_entropy(scores, batch.target.ids, options).value()[0], 1e-5);
  }
}

// So a rank may begin a step before it has the weights that other ranks have updated. Here, each is
// there only once it has been waited for.
TEST(Model, UsesNoWeightBeforeItIsWatched) {
  using testing::model_kinds::for_every_kind;
  using testing::model_kinds::Kind;
  for_every_kind([](Model& model, const Kind&) {
    const Batch batch = {testing::model_kinds::source,
                         {{4, 7, 0, 11, 2, 0, 6, 0}, Ragged({3, 3, 2})}};
    Tape all_there({.training = true});
    const double expected = model.loss(all_there, batch, {}).value()[0];
    Tape tape({.training = true});
    std::unordered_map<const float*, Tensor> to_come;
    model.visit_parameters({}, [&](const std::string&, Tensor& weight) {
      to_come.emplace(weight.data<float>(), weight.clone());
      tape.collect_gradient(weight, Tensor::zeros(weight.shape()));
      weight.fill(std::nan(""));
    });
    tape.await_values(
        [&](const Tensor& weight) { Tensor(weight).copy_from(to_come.at(weight.data<float>())); });
    EXPECT_EQ(model.loss(tape, batch, {}).value()[0], expected);
  });
}

// A row that is looked up without having been announced is an Error; with the rows, the gradient of
// each table is that of a tape that knows nothing of rows.
TEST(Model, AnnouncesTheRowsThatItLooksUp) {
  using testing::model_kinds::for_every_kind;
  using testing::model_kinds::Kind;
  for_every_kind([](Model& model, const Kind&) {
    const Batch batch = {testing::model_kinds::source,
                         {{4, 7, 0, 11, 2, 0, 6, 0}, Ragged({3, 3, 2})}};
    Tape plain;
    plain.backward(model.loss(plain, batch, {}));
    struct Place {
      Tensor table;
      std::vector<int32_t> rows;
      std::vector<float> values;
      RowGradient gradient;
    };
    std::map<const float*, Place> places;
    model.visit_look_ups(batch, [&](const Tensor& table, std::span<const int32_t> rows) {
      Place& place = places[table.data<float>()];
      place.table = table;
      place.rows.insert(place.rows.end(), rows.begin(), rows.end());
    });
    EXPECT_FALSE(places.empty());
    Tape tape;
    for (auto& [data, place] : places) {
      std::ranges::sort(place.rows);
      place.rows.erase(std::unique(place.rows.begin(), place.rows.end()), place.rows.end());
      place.values.resize(place.rows.size() * static_cast<size_t>(place.table.shape()[1]));
      place.gradient = {place.rows, place.values};
      tape.collect_rows(place.table, &place.gradient);
    }
    tape.backward(model.loss(tape, batch, {}));
    for (const auto& [data, place] : places) {
      Tensor whole = Tensor::zeros(place.table.shape());
      if (tape.is_watched(place.table)) whole.copy_from(tape.gradient_of(place.table));
      for (size_t i = 0; i < place.values.size(); ++i) {
        const auto width = static_cast<size_t>(place.table.shape()[1]);
        whole.span<float>()[static_cast<size_t>(place.rows[i / width]) * width + i % width] +=
            place.values[i];
      }
      EXPECT_TRUE(testing::close_tensors(whole, plain.gradient_of(place.table)));
    }
  });
}

// They arrive in the order of the list, in which the bias of the scores is the last.
TEST(Model, WaitsForItsLastWeightLast) {
  Rng rng(1);
  Transformer model(testing::model_kinds::small_transformer(), rng);
  Tape tape;
  std::vector<std::string> names;
  model.visit_parameters({}, [&](const std::string&, Tensor& weight) {
    tape.collect_gradient(weight, Tensor::zeros(weight.shape()));
  });
  tape.await_values([&](const Tensor& awaited) {
    model.visit_parameters({}, [&](const std::string& name, Tensor& weight) {
      if (weight.data<float>() == awaited.data<float>()) names.push_back(name);
    });
  });
  const Batch batch = {testing::model_kinds::source, {{4, 0, 2, 0, 6, 0}, Ragged({2, 2, 2})}};
  (void)model.loss(tape, batch, {});
  ASSERT_GT(names.size(), 2U);
  EXPECT_EQ(names.front(), "model.encoder.embed_tokens.weight");
  const std::set<std::string> last = {names.back(), names[names.size() - 2]};
  EXPECT_EQ(last, (std::set<std::string>{"final_logits_bias", "lm_head.weight"}));
}

}  // namespace
}  // namespace heed
