#include "heed/training/frozen_model.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/training/learner.h"
#include "tensors.h"
#include "tiny_training.h"

namespace heed {
namespace {

using testing::error_of;
using testing::tiny_model;
using testing::tiny_shards;
using testing::values_of;

using Names = std::vector<std::string>;

const Names names = {"model.shared.weight",
                     "model.encoder.layers.0.fc1.weight",
                     "model.encoder.layers.1.fc1.weight",
                     "model.encoder.layers.10.fc1.weight",
                     "model.encoder.layer_norm.weight",
                     "model.decoder.layers.1.encoder_attn.q_proj.weight",
                     "final_logits_bias"};

std::vector<size_t> places_of(const Names& parts) {
  std::vector<size_t> places;
  for (const std::string& name : names_in_parts(names, parts))
    places.push_back(static_cast<size_t>(std::ranges::find(names, name) - names.begin()));
  std::ranges::sort(places);
  return places;
}

using Places = std::vector<size_t>;

TEST(FrozenModel, PartsAreNamedByStretchesOfNames) {
  EXPECT_EQ(places_of({"embeddings"}), (Places{0}));
  EXPECT_EQ(places_of({"encoder"}), (Places{1, 2, 3, 4}));
  EXPECT_EQ(places_of({"encoder:0-1"}), (Places{1, 2}));
  EXPECT_EQ(places_of({"encoder:10"}), (Places{3}));
  EXPECT_EQ(places_of({"layers.1"}), (Places{2, 5}));
  EXPECT_EQ(places_of({"decoder", "final_logits_bias"}), (Places{5, 6}));
  EXPECT_EQ(places_of({"fc1,embeddings"}), (Places{0, 1, 2, 3}));
}

TEST(FrozenModel, RefusesPartsThatAreNotThere) {
  for (const char* part : {"", "encode", "encoder:", "encoder:1-0", "encoder:2-9", "encoder:0-1-2",
                           "encoder:x", "encoder:-1", "decoder:0", ",", "encoder.fc1"})
    EXPECT_EQ(error_of([&] { names_in_parts(names, Names{part}); }).substr(0, 11), "--freeze: \"")
        << part;
  EXPECT_EQ(error_of([] { names_in_parts(names, Names{"head"}); }),
            "--freeze: \"head\" is no part of the model; it has decoder:0-1, embeddings, "
            "encoder:0-10, encoder_attn, fc1, final_logits_bias, q_proj, shared");
  const std::unique_ptr<Model> model = tiny_model();
  EXPECT_EQ(error_of([&] {
              FrozenModel(*model, Names{"embeddings", "encoder", "decoder", "final_logits_bias"});
            }),
            "--freeze: all parameters are frozen, so there is nothing to learn");
}

class Freezing : public ::testing::TestWithParam<const char*> {};

TEST_P(Freezing, LeavesTheBytesAndTeachesTheRestTheSame) {
  const Names parts = {GetParam()};
  const std::unique_ptr<Model> model = tiny_model(), untouched = tiny_model();
  FrozenModel learning(*model, parts);
  Names all;
  for (const Parameter& parameter : parameters_of(*model)) all.push_back(parameter.name);
  const std::set<std::string> frozen = names_in_parts(all, parts);
  ASSERT_FALSE(frozen.empty());
  Workers workers(2);
  const LearnerConfig quick{
      .schedule = {.kind = ScheduleKind::constant, .learning_rate = 0.01, .warm_up = 0},
      .clip_norm = 0};
  Learner learner(learning, quick, 2, workers);
  // The first step's gradients do not depend on what else learns.
  Learner of_all(*untouched, quick, 2, workers);
  const std::vector<std::vector<Batch>> step = {tiny_shards(2, 3)};
  learner.learn(step);
  of_all.learn(step);
  const std::unique_ptr<Model> start = tiny_model();
  const std::vector<Parameter> before = parameters_of(*start), now = parameters_of(*model),
                               free = parameters_of(*untouched);
  for (size_t i = 0; i < now.size(); ++i) {
    SCOPED_TRACE(now[i].name);
    const bool stays = frozen.contains(now[i].name);
    EXPECT_EQ(values_of(now[i].value), values_of((stays ? before : free)[i].value));
  }
  EXPECT_LT(learner.parameters().size(), of_all.parameters().size());
}

INSTANTIATE_TEST_SUITE_P(All, Freezing,
                         ::testing::Values("embeddings", "encoder", "decoder:0", "fc1",
                                           "encoder_attn", "final_logits_bias"),
                         [](const auto& part) {
                           std::string name = part.param;
                           std::ranges::replace(name, ':', '_');
                           return name;
                         });

}  // namespace
}  // namespace heed
