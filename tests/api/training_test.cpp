#include <filesystem>

#include "c_model.h"
#include "comparable_files.h"
#include "sample_text.h"

namespace heed {
namespace {

using testing::comparable_files;
using testing::expect_refused;
using testing::made_up_sentences;
using testing::TemporaryFolder;

class CTraining : public ::testing::Test {
 protected:
  using Handle = std::unique_ptr<heed_training, decltype(&heed_training_free)>;

  void SetUp() override {
    std::string text;
    for (const std::string& sentence : made_up_sentences(60)) text += sentence + "\n";
    folder_.put("text", text);
  }

  // A small run in a folder of that name.
  Handle new_run(const std::string& model) const {
    heed_training* training = nullptr;
    EXPECT_EQ(heed_training_new(&training), HEED_OK);
    Handle run(training, heed_training_free);
    const std::string text = folder_.path("text"), to = folder_.path(model);
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
             {"train", text.c_str()},
             {"train", text.c_str()},
             {"model", to.c_str()},
             {"steps", "6"},
             {"validate-every", "3"},
             {"valid-lines", "5"},
             {"vocabulary-kind", "characters"},
             {"width", "16"},
             {"heads", "2"},
             {"ffn", "32"},
             {"encoder-layers", "1"},
             {"decoder-layers", "1"},
             {"threads", "1"}})
      EXPECT_EQ(heed_training_set(training, name, value), HEED_OK) << heed_last_error();
    return run;
  }

  TemporaryFolder folder_;
};

struct Heard {
  std::vector<int64_t> steps = {}, validations = {};
  int64_t end_at = 0;
};

int hear(void* user, const heed_training_progress* progress) {
  Heard& heard = *static_cast<Heard*>(user);
  EXPECT_EQ(progress->size, sizeof(heed_training_progress));
  EXPECT_GT(progress->cross_entropy, 0);
  EXPECT_EQ(progress->event == HEED_TRAINING_STEP, progress->learning_rate > 0);
  (progress->event == HEED_TRAINING_STEP ? heard.steps : heard.validations)
      .push_back(progress->step);
  return progress->event == HEED_TRAINING_STEP && progress->step == heard.end_at;
}

TEST_F(CTraining, TellsOfEachStepAndLeavesAModel) {
  Heard heard;
  heed_training_end end = HEED_TRAINING_STOPPED;
  const Handle run = new_run("whole");
  ASSERT_EQ(heed_training_run(run.get(), hear, &heard, &end), HEED_OK) << heed_last_error();
  EXPECT_EQ(end, HEED_TRAINING_BUDGET);
  EXPECT_EQ(heard.steps, (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(heard.validations, (std::vector<int64_t>{3, 6}));
  heed_translator* translator = nullptr;
  EXPECT_EQ(heed_translator_load(folder_.path("whole").c_str(), nullptr, &translator), HEED_OK)
      << heed_last_error();
  heed_translator_free(translator);
  ASSERT_EQ(heed_training_run(run.get(), nullptr, nullptr, &end), HEED_OK) << heed_last_error();
  EXPECT_EQ(end, HEED_TRAINING_FINISHED_BEFORE);
}

TEST_F(CTraining, ARunThatWasStoppedEndsWithTheSameBytes) {
  ASSERT_EQ(heed_training_run(new_run("whole").get(), nullptr, nullptr, nullptr), HEED_OK);
  Heard heard = {.end_at = 4};
  heed_training_end end = HEED_TRAINING_BUDGET;
  const Handle run = new_run("stopped");
  ASSERT_EQ(heed_training_run(run.get(), hear, &heard, &end), HEED_OK) << heed_last_error();
  EXPECT_EQ(end, HEED_TRAINING_STOPPED);
  EXPECT_EQ(heard.steps.back(), 4);
  ASSERT_EQ(heed_training_run(run.get(), nullptr, nullptr, &end), HEED_OK) << heed_last_error();
  EXPECT_EQ(end, HEED_TRAINING_BUDGET);
  const auto weights = [&](const std::string& model) {
    return comparable_files(folder_.path(model)).at("model.safetensors");
  };
  EXPECT_TRUE(weights("stopped") == weights("whole"));
}

TEST_F(CTraining, RefusesWhatCannotBe) {
  expect_refused(heed_training_new(nullptr), HEED_USAGE,
                 "heed_training_new: where to put the run is NULL");
  expect_refused(heed_training_run(nullptr, nullptr, nullptr, nullptr), HEED_USAGE,
                 "heed_training_run: the run is NULL");
  const Handle run = new_run("model");
  expect_refused(heed_training_set(run.get(), nullptr, "1"), HEED_USAGE,
                 "heed_training_set: the name is NULL");
  expect_refused(heed_training_set(run.get(), "steps", nullptr), HEED_USAGE,
                 "heed_training_set: the value is NULL");
  expect_refused(heed_training_set(run.get(), "stepz", "1"), HEED_USAGE,
                 "there is no setting \"stepz\" of a training run");
  heed_training* empty = nullptr;
  ASSERT_EQ(heed_training_new(&empty), HEED_OK);
  const Handle nothing(empty, heed_training_free);
  expect_refused(heed_training_run(empty, nullptr, nullptr, nullptr), HEED_USAGE,
                 "train: files to learn from were expected");
  EXPECT_EQ(heed_training_free(nullptr), HEED_OK);
}

}  // namespace
}  // namespace heed
