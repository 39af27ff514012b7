#include "heed/runs/recorded_settings.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;
using Names = std::vector<std::string>;

TEST(RecordedSettings, AreGivenBackAsTheyWereSaved) {
  const TemporaryFolder folder;
  const RecordedSettings settings = {{"width", "128"}, {"train", "a \"b\".en ü.de"}, {"valid", ""}};
  save_settings(folder.path("settings.json"), settings);
  EXPECT_EQ(load_settings(folder.path("settings.json")), settings);
}

TEST(RecordedSettings, NamesWhatHasChanged) {
  const RecordedSettings before = {{"width", "128"}, {"heads", "4"}, {"learning-rate", "0.001"}};
  EXPECT_EQ(changed_settings(before, before), Names());
  EXPECT_EQ(
      changed_settings(before, {{"width", "256"}, {"heads", "4"}, {"learning-rate", "0.001"}}),
      Names{"width (128, now 256)"});
  EXPECT_EQ(changed_settings(before, {{"width", "128"}, {"heads", "4"}}),
            Names{"learning-rate (0.001, now not set)"});
  EXPECT_EQ(changed_settings({}, {{"b", "2"}, {"a", "1"}}),
            (Names{"a (not set, now 1)", "b (not set, now 2)"}));
  EXPECT_EQ(changed_settings({{"valid", ""}}, {{"valid", "a b"}}),
            Names{"valid (not set, now a b)"});
}

TEST(RecordedSettings, RefusesADamagedFile) {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& text) {
    const std::string file = folder.put("settings.json", text);
    std::string sentence = error_of([&] { load_settings(file); });
    return sentence.starts_with(file + ": ") ? sentence.substr(file.size() + 2) : sentence;
  };
  for (const char* text : {"", "{", "[]", "\"width\"", "{\"width\": \"1\""})
    EXPECT_EQ(complaint(text), "not a JSON object") << text;
  EXPECT_EQ(complaint(R"({"width": 128})"), "the setting \"width\" is not a string");
  EXPECT_EQ(complaint(R"({"a\nb": 128})"), "the setting \"a\\x0ab\" is not a string");
  std::filesystem::remove(folder.path("settings.json"));
  EXPECT_EQ(error_of([&] { load_settings(folder.path("settings.json")); }),
            folder.path("settings.json") + ": cannot be read: No such file or directory");
}

// The name of a file may be any bytes.
TEST(RecordedSettings, TakesWhatIsNotUtf8) {
  const TemporaryFolder folder;
  save_settings(folder.path("settings.json"), {{"train", "a\xff.en"}});
  EXPECT_EQ(load_settings(folder.path("settings.json")),
            (RecordedSettings{{"train", "a\xef\xbf\xbd.en"}}));
}

}  // namespace
}  // namespace heed
