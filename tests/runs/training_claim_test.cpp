#include "heed/runs/training_claim.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "error_of.h"
#include "heed/runs/recorded_settings.h"
#include "small_run.h"

namespace heed {
namespace {

using heed::testing::error_of;

// Another value of the same type.
void change(bool& value) { value = !value; }
void change(std::string& value) { value += "other"; }
void change(std::vector<std::string>& value) { value.emplace_back("other"); }
template <typename Value>
void change(Value& value) {
  if constexpr (is_named<Value>) {
    for (const auto& named : EnumNames<Value>::values)
      if (named.value != value) {
        value = named.value;
        return;
      }
  } else if constexpr (requires { value.has_value(); }) {
    value = value.value_or(0) + 1;
  } else {
    value = value + 1;
  }
}

struct ChangedSetting {
  std::string name;
  Change kind;
  TrainingSettings settings;
};

// The settings with each one changed in turn.
std::vector<ChangedSetting> every_change(const TrainingSettings& settings) {
  std::vector<ChangedSetting> changes;
  visit_fields(settings, [&](const auto& listed, const auto&) {
    changes.push_back({listed.name, listed.options.change, settings});
  });
  for (ChangedSetting& one : changes) {
    visit_fields(one.settings, [&](const auto& field, auto& value) {
      if (field.name == one.name) change(value);
    });
    if (one.name == "mix") one.settings.mix.emplace_back("0.5");
  }
  return changes;
}

class TrainingClaimTest : public ::testing::Test {
 protected:
  // A run that has written a checkpoint.
  void begin() {
    claim_folder(run_.settings);
    run_.files().put("model/training/state.safetensors", "a checkpoint");
  }

  // What is said to a run with these settings.
  std::string refusal(const TrainingSettings& settings) const {
    const std::string sentence = error_of([&] { claim_folder(settings); });
    const std::string folder = run_.path("model") + ": ";
    return sentence.starts_with(folder) ? sentence.substr(folder.size()) : sentence;
  }

  testing::SmallRun run_;
};

TEST_F(TrainingClaimTest, AFolderIsClaimedByOneRunAtATime) {
  const LockFile lock = claim_folder(run_.settings);
  EXPECT_EQ(refusal(run_.settings), "another program is training in this folder");
}

TEST_F(TrainingClaimTest, TheSameRunMayComeBack) {
  claim_folder(run_.settings);
  EXPECT_EQ(refusal(run_.settings), "(nothing was thrown)");
  begin();
  EXPECT_EQ(refusal(run_.settings), "(nothing was thrown)");
}

// So that a run of an older heed, which lacked some settings, can be continued by a newer one.
TEST_F(TrainingClaimTest, ASettingThatWasNotRecordedHadItsDefault) {
  begin();
  const std::filesystem::path file = run_.path("model/training/settings.json");
  RecordedSettings older = load_settings(file);
  ASSERT_EQ(older.erase("task"), 1u);
  save_settings(file, older);
  EXPECT_EQ(refusal(run_.settings), "(nothing was thrown)");
  save_settings(file, older);
  run_.settings.task = Task::language;
  EXPECT_EQ(refusal(run_.settings),
            "the run was started with other settings: task (translate, now language); --override "
            "continues with the new ones");
}

TEST_F(TrainingClaimTest, AFolderWithSomethingElseIsLeftAlone) {
  std::filesystem::create_directory(run_.path("model"));
  run_.files().put("model/letter.txt", "Dear");
  EXPECT_EQ(refusal(run_.settings), "not an empty folder, and not a run that can be continued");
  EXPECT_EQ(run_.files().text("model/letter.txt"), "Dear");
  run_.settings.folder = run_.path("model/letter.txt");
  EXPECT_NE(refusal(run_.settings).find("is a file, but a folder was expected"), std::string::npos);
}

// Whatever is in the list of settings is compared: a new one needs no other line of code.
TEST_F(TrainingClaimTest, EveryChangedSettingIsRefusedByName) {
  begin();
  const std::vector<ChangedSetting> changes = every_change(run_.settings);
  EXPECT_GT(changes.size(), 30u);
  for (const ChangedSetting& changed : changes) {
    SCOPED_TRACE(changed.name);
    ASSERT_FALSE(changed.settings == run_.settings);
    const std::string said = refusal(changed.settings);
    if (changed.kind == Change::free)
      EXPECT_EQ(said, "(nothing was thrown)");
    else
      EXPECT_TRUE(
          said.starts_with("the run was started with other settings: " + changed.name + " ("))
          << said;
  }
}

TEST_F(TrainingClaimTest, WhatCannotChangeIsRefusedEvenOnPurpose) {
  begin();
  for (ChangedSetting& changed : every_change(run_.settings)) {
    if (changed.kind != Change::refused) continue;
    changed.settings.change_settings = true;
    EXPECT_TRUE(
        refusal(changed.settings)
            .starts_with("a run's task and vocabulary cannot change: " + changed.name + " ("))
        << changed.name << ": " << refusal(changed.settings);
  }
}

TEST_F(TrainingClaimTest, OverridesOfThePresetAreSettingsToo) {
  begin();
  TrainingSettings changed = run_.settings;
  changed.model["dropout"] = "0.5";
  changed.learning["ema"] = "0.5";
  EXPECT_EQ(refusal(changed),
            "the run was started with other settings: dropout (not set, now 0.5), ema (not set, "
            "now 0.5); --override continues with the new ones");
}

TEST_F(TrainingClaimTest, ABudgetThatDecidesTheScheduleIsASetting) {
  run_.settings.learning["schedule"] = "cosine";
  begin();
  TrainingSettings longer = run_.settings;
  longer.trainer.steps = 100;
  EXPECT_EQ(refusal(longer),
            "the run was started with other settings: decay-steps (12, now 100); --override "
            "continues with the new ones");
}

TEST_F(TrainingClaimTest, ACorpusThatHasChangedIsNoticed) {
  begin();
  run_.files().put("train.iso", "other text\n");
  const std::string file = run_.path("train.iso");
  EXPECT_EQ(refusal(run_.settings),
            file +
                ": has changed since the run was started; --override continues with the new "
                "text");
  // Gone is not changed: what was prepared from it is in the folder.
  std::filesystem::remove(file);
  EXPECT_EQ(refusal(run_.settings), "(nothing was thrown)");
}

TEST_F(TrainingClaimTest, BeforeTheFirstCheckpointEverythingMayChange) {
  claim_folder(run_.settings);
  run_.files().put("model/training/train.pairs", "prepared");
  run_.settings.seed = 99;
  EXPECT_EQ(refusal(run_.settings), "(nothing was thrown)");
  EXPECT_FALSE(std::filesystem::exists(run_.path("model/training/train.pairs")));
}

// The mechanism by itself, with a struct that has just got a new field.
struct GrowingSettings {
  int old_one = 1;
  double new_one = 0.5;
  int budget = 3;
};

}  // namespace

template <>
struct Fields<GrowingSettings> {
  using Settings = GrowingSettings;
  static constexpr auto list =
      std::tuple(field("old-one", &Settings::old_one, ""), field("new-one", &Settings::new_one, ""),
                 field("budget", &Settings::budget, "", {.change = Change::free}));
};

namespace {

TEST(RecordSettings, KnowsANewFieldFromItsList) {
  const GrowingSettings before;
  GrowingSettings now;
  now.new_one = 0.75;
  now.budget = 9;
  EXPECT_EQ(changed_settings(record_settings(before), record_settings(now)),
            std::vector<std::string>{"new-one (0.5, now 0.75)"});
}

}  // namespace
}  // namespace heed
