#include "heed/training/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "close.h"
#include "error_of.h"
#include "heed/folders/model_folder.h"
#include "heed/weights/tensor_file.h"
#include "tensors.h"
#include "tiny_runs.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::diverging;
using heed::testing::error_of;
using heed::testing::Killed;
using heed::testing::killing_at;
using heed::testing::kinds_of_runs;
using heed::testing::log_of;
using heed::testing::steps;
using heed::testing::tiny_model;
using heed::testing::TinyTraining;
using heed::testing::values_of;

TEST(Trainer, EndsWithTheSameBytesWhereverItIsKilled) {
  const TinyTraining tiny;
  for (const auto& [name, config] : kinds_of_runs()) {
    int64_t moments = 0;
    const TrainingEnd end = tiny.run(name, config, killing_at(-1, moments));
    const std::string expected = tiny.weights(name);
    ASSERT_FALSE(expected.empty());
    for (int64_t moment = 1; moment <= moments; ++moment) {
      SCOPED_TRACE(fmt::format("{}, killed at moment {} of {}", name, moment, moments));
      const std::string folder = fmt::format("{} {}", name, moment);
      int64_t count = 0, after = 0;
      EXPECT_THROW(tiny.run(folder, config, killing_at(moment, count)), Killed);
      EXPECT_EQ(tiny.run(folder, config, killing_at(-1, after)), end);
      EXPECT_TRUE(tiny.weights(folder) == expected);
      EXPECT_EQ(log_of(tiny.text(folder + "/training.jsonl")),
                log_of(tiny.text(name + "/training.jsonl")));
      std::filesystem::remove_all(tiny.path(folder));
    }
  }
}

TEST(Trainer, EndsWithTheSameBytesHoweverOftenItIsKilled) {
  const TinyTraining tiny;
  Rng rng(1);
  for (auto [name, config] : kinds_of_runs()) {
    SCOPED_TRACE(name);
    config.save_every = 1;  // otherwise it may be killed again and again without making progress
    ASSERT_NE(tiny.run(name, config), TrainingEnd::already_finished);
    const std::string folder = name + " killed";
    for (int kills = 0;; ++kills) {
      ASSERT_LT(kills, 1000);
      int64_t count = 0;
      try {
        tiny.run(folder, config, killing_at(1 + static_cast<int64_t>(rng.below(9)), count));
        break;
      } catch (const Killed&) {
      }
    }
    EXPECT_TRUE(tiny.weights(folder) == tiny.weights(name));
  }
}

TEST(Trainer, GoesOnAfterAnInterruption) {
  const TinyTraining tiny;
  tiny.run("whole", steps(10));
  int asked = 0;
  const TrainerEvents events{.interrupted = [&] { return ++asked == 5; }};
  EXPECT_EQ(tiny.run("parts", steps(10), events), TrainingEnd::interrupted);
  tiny.with_trainer("parts", steps(10), [](Trainer& trainer) {
    EXPECT_TRUE(trainer.resumed());
    EXPECT_EQ(trainer.learner().steps(), 5);  // not only those of the last checkpoint that was due
    EXPECT_EQ(trainer.run({}), TrainingEnd::budget);
  });
  EXPECT_TRUE(tiny.weights("parts") == tiny.weights("whole"));
}

TEST(Trainer, KnowsThatItIsFinished) {
  const TinyTraining tiny;
  for (const TrainerConfig& config : {steps(6), diverging()}) {
    const std::string folder = config.patience > 0 ? "patience" : "steps";
    tiny.run(folder, config);
    const std::string weights = tiny.weights(folder), log = tiny.text(folder + "/training.jsonl");
    int64_t count = 0;
    EXPECT_EQ(tiny.run(folder, config, killing_at(1, count)), TrainingEnd::already_finished);
    EXPECT_TRUE(tiny.weights(folder) == weights);
    EXPECT_EQ(tiny.text(folder + "/training.jsonl"), log);
  }
}

TEST(Trainer, GoesOnWithALargerBudget) {
  const TinyTraining tiny;
  tiny.run("whole", steps(16));
  EXPECT_EQ(tiny.run("parts", steps(8)), TrainingEnd::budget);
  EXPECT_EQ(tiny.run("parts", steps(16)), TrainingEnd::budget);
  EXPECT_TRUE(tiny.weights("parts") == tiny.weights("whole"));
}

TEST(Trainer, EndsWithWhicheverBudgetIsSpentFirst) {
  const TinyTraining tiny;
  int64_t steps_of_an_epoch = 0;
  TrainerConfig config = steps(0);
  config.epochs = 1;
  tiny.with_trainer("epoch", config, [&](Trainer& trainer) {
    EXPECT_EQ(trainer.run({}), TrainingEnd::budget);
    steps_of_an_epoch = trainer.learner().steps();
    EXPECT_EQ(trainer.progress().epochs, 1);
  });
  EXPECT_GT(steps_of_an_epoch, 1);
  config.epochs = 3;
  config.steps = steps_of_an_epoch + 1;
  tiny.with_trainer("steps first", config, [&](Trainer& trainer) {
    trainer.run({});
    EXPECT_EQ(trainer.learner().steps(), steps_of_an_epoch + 1);
  });
  config.steps = 1000000;
  tiny.with_trainer("epochs first", config, [&](Trainer& trainer) {
    trainer.run({});
    EXPECT_EQ(trainer.learner().steps(), 3 * steps_of_an_epoch);
  });
  config.seconds = 1e-9;
  tiny.with_trainer("time first", config, [&](Trainer& trainer) {
    trainer.run({});
    EXPECT_EQ(trainer.learner().steps(), 1);
  });
}

// Validations that find these scores, one after the other.
TrainerEvents scoring(const std::vector<double>& scores, std::vector<Validation>& found) {
  auto next = std::make_shared<size_t>(0);
  return {.validated = [&found](const Validation& v, const Progress&) { found.push_back(v); },
          .judge =
              [scores, next] {
                return OutputScores{.bleu = scores.at((*next)++), .chrf = 0, .samples = {}};
              }};
}

TEST(Trainer, EndsWhenPatienceIsSpent) {
  const TinyTraining tiny;
  TrainerConfig config = steps(1000);
  config.validate_every = 1;
  config.criterion = Criterion::bleu;
  config.patience = 2;
  std::vector<Validation> found;
  tiny.with_trainer("run", config, [&](Trainer& trainer) {
    EXPECT_EQ(trainer.run(scoring({1, 3, 2, 4, 4, 3, 9}, found)), TrainingEnd::patience);
    EXPECT_EQ(trainer.learner().steps(), 6);
    EXPECT_EQ(trainer.progress().best, 4);
    EXPECT_EQ(trainer.progress().best_step, 4);
  });
  std::vector<bool> best;
  for (const Validation& validation : found) best.push_back(validation.best);
  EXPECT_EQ(best, (std::vector<bool>{true, true, false, true, false, false}));

  // The weights of the best validation are kept.
  config.steps = 4;
  config.patience = 0;
  tiny.run("until the best", config, scoring({1, 3, 2, 4}, found));
  EXPECT_TRUE(tiny.weights("run") == tiny.weights("until the best"));
}

TEST(Trainer, NeverKeepsAValidationThatIsNotANumber) {
  const TinyTraining tiny;
  TrainerConfig config = steps(3);
  config.validate_every = 1;
  config.criterion = Criterion::bleu;
  std::vector<Validation> found;
  tiny.run("run", config, scoring({NAN, 1, NAN}, found));
  tiny.with_trainer("run", config,
                    [](Trainer& trainer) { EXPECT_EQ(trainer.progress().best_step, 2); });
}

TEST(Trainer, SavesTheEma) {
  const TinyTraining tiny;
  TrainerConfig config = steps(4);
  std::vector<double> ema;
  tiny.with_trainer("run", config, [&](Trainer& trainer) {
    trainer.run({});
    for (const Parameter& part :
         trainer.learner().parameters().parts_of(trainer.learner().state().ema))
      for (const double value : values_of(part.value)) ema.push_back(value);
  });
  const std::unique_ptr<Model> model = tiny_model(123);
  load_weights(tiny.path("run"), *model);
  std::vector<double> saved;
  for (const Parameter& parameter : parameters_of(*model))
    for (const double value : values_of(parameter.value)) saved.push_back(value);
  EXPECT_EQ(saved, ema);
}

std::vector<double> saved_weights(const std::string& folder) {
  const std::unique_ptr<Model> model = tiny_model();
  load_weights(folder, *model);
  std::vector<double> saved;
  for (const Parameter& parameter : parameters_of(*model))
    for (const double value : values_of(parameter.value)) saved.push_back(value);
  return saved;
}

TEST(Trainer, AveragesTheLastValidations) {
  const TinyTraining tiny;
  // The last of three averaged validations is one that was not due.
  TrainerConfig config = steps(7);
  config.validate_every = 2;
  config.criterion = Criterion::bleu;
  std::vector<Validation> found;
  std::vector<double> expected;
  for (const int64_t step : {4, 6, 7}) {
    const std::string folder = fmt::format("until {}", step);
    config.steps = step;
    tiny.run(folder, config, scoring({1, 2, 3, 4, 5}, found));
    const std::vector<double> weights = saved_weights(tiny.path(folder));
    expected.resize(weights.size());
    for (size_t i = 0; i < weights.size(); ++i) expected[i] += weights[i] / 3;
  }
  config.average_last = 3;
  tiny.run("averaged", config, scoring({1, 2, 3, 4, 5}, found));
  EXPECT_TRUE(close(saved_weights(tiny.path("averaged")), expected, 1e-6, 1e-7));
  // The mean is validated like all others, and not kept if it is no better.
  tiny.run("not averaged", config, scoring({1, 2, 3, 4, 4}, found));
  EXPECT_TRUE(tiny.weights("not averaged") == tiny.weights("until 7"));
}

TEST(Trainer, LetsOthersWatchTheModelThatItValidates) {
  const TinyTraining tiny;
  TrainerConfig config = steps(10);
  config.average_last = 2;
  const std::unique_ptr<Model> model = tiny_model();
  const auto weights_now = [&] { return values_of(parameters_of(*model).front().value); };
  std::vector<int64_t> watched;
  std::vector<std::vector<double>> validated, seen;
  TrainerEvents events;
  events.judge = [&] {
    validated.push_back(weights_now());
    return OutputScores{};
  };
  events.watch = [&](int64_t step) {
    watched.push_back(step);
    seen.push_back(weights_now());
  };
  tiny.with_trainer(
      "watched", config, [&](Trainer& trainer) { return trainer.run(events); }, *model);
  // The average of the last two is validated, too, but it is no step of training.
  EXPECT_EQ(watched, (std::vector<int64_t>{4, 8, 10}));
  ASSERT_EQ(validated.size(), 4u);
  validated.pop_back();
  EXPECT_EQ(seen, validated);
  tiny.run("unwatched", config);
  EXPECT_TRUE(tiny.weights("watched") == tiny.weights("unwatched"));
}

TEST(Trainer, KeepsNoMoreSnapshotsThanItNeeds) {
  const TinyTraining tiny;
  TrainerConfig config = steps(12);
  config.validate_every = 2;
  config.average_last = 2;
  tiny.run("run", config);
  const auto snapshots = [&] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tiny.path("run/training")))
      count += entry.path().filename().string().starts_with("snapshot-");
    return count;
  };
  EXPECT_EQ(snapshots(), 2);
  // One that a run left behind when it was killed between a checkpoint and the removal.
  std::filesystem::copy(tiny.path("run/training/snapshot-12.safetensors"),
                        tiny.path("run/training/snapshot-8.safetensors"));
  config.steps = 14;
  tiny.run("run", config);
  EXPECT_EQ(snapshots(), 2);
}

// A model whose scores are not numbers from some moment on.
class PoisonedModel : public PredictingModel {
 public:
  Variable features(Tape& tape, const Batch& batch) const override {
    Variable x = model_->features(tape, batch);
    if (poisoned) Tensor(x.value()).fill(std::numeric_limits<double>::quiet_NaN());
    return x;
  }
  OutputLayer output_layer() const override { return model_->output_layer(); }
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override {
    model_->visit_parameters(prefix, visit);
  }
  int64_t source_multiplications() const override { return 0; }
  int64_t target_multiplications() const override { return 0; }

  bool poisoned = false;

 private:
  std::unique_ptr<Model> model_ = tiny_model();
};

TEST(Trainer, SkipsStepsThatAreNotFiniteAndGivesUpWhenTheyPersist) {
  const TinyTraining tiny;
  PoisonedModel model;
  std::vector<int64_t> skipped;
  TrainerEvents events;
  events.step = [&](const StepReport& report, const Progress&) {
    if (report.skipped) skipped.push_back(report.step);
    model.poisoned = report.step == 2 || report.step >= 6;
  };
  const std::string sentence = error_of([&] {
    tiny.with_trainer(
        "run", steps(1000), [&](Trainer& trainer) { return trainer.run(events); }, model);
  });
  EXPECT_EQ(sentence,
            "training: diverged at step 7: the loss is no longer finite; the best model, from step "
            "4, is kept; a lower learning rate or a longer warm-up may help");
  ASSERT_EQ(skipped.size(), 21u);
  EXPECT_EQ(skipped[0], 3);
  EXPECT_EQ(skipped[1], 7);
  // The validation of step 4 was the only one with finite numbers.
  TrainerConfig config = steps(4);
  PoisonedModel again;
  events.step = [&](const StepReport& report, const Progress&) {
    again.poisoned = report.step == 2;
  };
  tiny.with_trainer(
      "until 4", config, [&](Trainer& trainer) { return trainer.run(events); }, again);
  EXPECT_TRUE(tiny.weights("run") == tiny.weights("until 4"));
}

// Weights so large that the scores overflow, though they are finite themselves.
TrainerConfig exploding(int64_t count) {
  TrainerConfig config = steps(count);
  config.learner.schedule.learning_rate = 1e30;
  config.save_every = 1000;
  return config;
}

TEST(Trainer, FailsWhereNoModelIsFinite) {
  const TinyTraining tiny;
  std::vector<Validation> validations;
  TrainerEvents events;
  events.validated = [&](const Validation& validation, const Progress&) {
    validations.push_back(validation);
  };
  bool translated = false;
  events.judge = [&] {
    translated = true;
    return OutputScores{};
  };
  for (const Criterion criterion : {Criterion::cross_entropy, Criterion::bleu}) {
    TrainerConfig config = exploding(3);
    config.criterion = criterion;
    config.average_last = 2;
    for (int time = 0; time < 2; ++time) {
      EXPECT_EQ(error_of([&] { tiny.run("run", config, events); }),
                "training: diverged at step 2: the loss is no longer finite; there is no model "
                "yet; a lower learning rate or a longer warm-up may help");
      EXPECT_FALSE(std::filesystem::exists(tiny.path("run/model.safetensors")));
      // Another learning rate can start from scratch.
      EXPECT_FALSE(std::filesystem::exists(tiny.path("run/training/state.safetensors")));
      EXPECT_FALSE(std::filesystem::exists(tiny.path("run/training/snapshot-3.safetensors")));
    }
  }
  ASSERT_EQ(validations.size(), 4u);
  for (const Validation& validation : validations)
    EXPECT_FALSE(validation.finite || validation.best);
  EXPECT_FALSE(translated);
  EXPECT_EQ(tiny.text("run/training.jsonl").find("nan"), std::string::npos);
}

TEST(Trainer, FailsWhereItEndsWithoutAFiniteModelButKeepsTheBest) {
  const TinyTraining tiny;
  tiny.run("run", steps(4));
  const std::string best = tiny.weights("run"), state = tiny.text("run/training/state.safetensors");
  ASSERT_FALSE(best.empty());
  for (TrainerConfig config : {exploding(6), exploding(1000)}) {
    config.average_last = 2;
    EXPECT_EQ(error_of([&] { tiny.run("run", config); }),
              "training: diverged at step 6: the loss is no longer finite; the best model, from "
              "step 4, is kept; a lower learning rate or a longer warm-up may help");
    EXPECT_TRUE(tiny.weights("run") == best);
    // The checkpoint is the one from before.
    EXPECT_TRUE(tiny.text("run/training/state.safetensors") == state);
  }
  EXPECT_EQ(tiny.run("run", steps(8)), TrainingEnd::budget);
}

TEST(Trainer, KnowsAtOnceThatInfiniteWeightsAreLost) {
  const TinyTraining tiny;
  TrainerConfig config = steps(1000);
  config.learner.schedule.learning_rate = 1e300;
  config.save_every = 1;
  int count = 0;
  TrainerEvents events;
  events.step = [&](const StepReport&, const Progress&) { ++count; };
  EXPECT_TRUE(error_of([&] {
                tiny.run("run", config, events);
              }).starts_with("training: diverged at step 2: "));
  EXPECT_EQ(count, 2);
  EXPECT_FALSE(std::filesystem::exists(tiny.path("run/training/state.safetensors")));
}

TEST(Trainer, RefusesADamagedCheckpoint) {
  const TinyTraining tiny;
  tiny.run("run", steps(4));
  const std::string file = tiny.path("run/training/state.safetensors");
  std::filesystem::resize_file(file, 1000);
  EXPECT_TRUE(error_of([&] { tiny.run("run", steps(4)); }).starts_with(file + ": "));
}

TEST(Trainer, RefusesToAccumulateNothing) {
  const TinyTraining tiny;
  TrainerConfig config = steps(4);
  config.accumulate = 0;
  EXPECT_EQ(error_of([&] { tiny.run("run", config); }),
            "training: 0 batches per step but at least 1 was expected");
}

}  // namespace
}  // namespace heed
