#include "heed/runs/named_settings.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;

TEST(NamedSettings, SetWhatTheFlagsSet) {
  TrainingSettings settings;
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"train", "a.en"},
                                                                  {"train", "a.de"},
                                                                  {"model", "en-de"},
                                                                  {"preset", "rnn"},
                                                                  {"time", "1h30m"},
                                                                  {"steps", "700"},
                                                                  {"memory", "2G"},
                                                                  {"patience", "3"},
                                                                  {"vocabulary-kind", "characters"},
                                                                  {"separate-vocabularies", "true"},
                                                                  {"hidden", "64"},
                                                                  {"dropout", "0.2"},
                                                                  {"watch", "a cat"},
                                                                  {"watch", "a\tb"},
                                                                  {"watch-file", "w.tsv"},
                                                                  {"learning-rate", "0.01"}})
    set_setting(settings, name, value);
  EXPECT_EQ(settings.train, (std::vector<std::string>{"a.en", "a.de"}));
  EXPECT_EQ(settings.folder, "en-de");
  EXPECT_EQ(settings.preset, "rnn");
  EXPECT_EQ(settings.trainer.seconds, 5400);
  EXPECT_EQ(settings.trainer.steps, 700);
  EXPECT_EQ(settings.memory, int64_t{2} << 30);
  EXPECT_EQ(settings.patience, 3);
  EXPECT_TRUE(settings.separate);
  EXPECT_EQ(settings.watch, (std::vector<std::string>{"a cat", "a\tb"}));
  EXPECT_EQ(settings.watch_file, "w.tsv");
  EXPECT_EQ(settings.model,
            (std::map<std::string, std::string>{{"dropout", "0.2"}, {"hidden", "64"}}));
  EXPECT_EQ(settings.learning, (std::map<std::string, std::string>{{"learning-rate", "0.01"}}));
}

TEST(NamedSettings, RefuseWhatCannotBe) {
  TrainingSettings settings;
  const TrainingSettings untouched = settings;
  const auto error = [&](const char* name, const char* value) {
    return error_of([&] { set_setting(settings, name, value); });
  };
  EXPECT_EQ(error("colour", "red"), "there is no setting \"colour\" of a training run");
  EXPECT_EQ(error("preset", "huge"), "preset is \"huge\" but tiny|small|base|rnn was expected");
  EXPECT_EQ(error("time", "soon"),
            "time is \"soon\" but a time such as 90s, 30m or 2h was expected");
  EXPECT_EQ(error("threads", "-1"), "--threads: -1 but a whole number from 0 to 1024 was expected");
  EXPECT_EQ(error("dropout", "much"), "--dropout is \"much\" but a number was expected");
  EXPECT_EQ(settings, untouched);
}

}  // namespace
}  // namespace heed
