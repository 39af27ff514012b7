#include "heed/folders/huggingface_settings.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;

TEST(HuggingFaceSettings, AreFoundByName) {
  const TemporaryFolder folder;
  const HuggingFaceSettings settings(folder.put(
      "a.json", R"({"n": 3, "r": 0.5, "t": true, "s": "text", "nothing": null, "list": [1]})"));
  EXPECT_EQ(settings.number("n"), 3);
  EXPECT_EQ(settings.number("missing", 7), 7);
  EXPECT_EQ(settings.number("nothing", 7), 7);
  EXPECT_EQ(settings.real("r", 0), 0.5);
  EXPECT_EQ(settings.real("n", 0), 3);
  EXPECT_TRUE(settings.truth("t", false));
  EXPECT_EQ(settings.text("s", ""), "text");
  EXPECT_FALSE(settings.contains("nothing"));
  ASSERT_NE(settings.find("list"), nullptr);
  EXPECT_TRUE(settings.find("list")->is_array());
  EXPECT_NO_THROW(settings.expect_text("missing", "x"));
  EXPECT_NO_THROW(settings.expect_missing("nothing"));
}

TEST(HuggingFaceSettings, RefuseWhatDoesNotFitByName) {
  const TemporaryFolder folder;
  const std::string file = folder.put("a.json", R"({"n": 3, "s": "text", "x": -1})");
  const HuggingFaceSettings settings(file);
  const auto refusal = [](auto&& run) { return error_of(run); };
  EXPECT_EQ(refusal([&] { (void)settings.number("y"); }), file + ": the setting \"y\" is missing");
  EXPECT_EQ(refusal([&] { (void)settings.number("x"); }),
            file + ": \"x\" is -1 but a number from 0 to 268435456 was expected");
  EXPECT_EQ(refusal([&] { (void)settings.text("n", ""); }),
            file + ": \"n\" is 3 but text was expected");
  EXPECT_EQ(refusal([&] { settings.expect_number("n", 4, "as elsewhere"); }),
            file + ": \"n\" is 3 but 4, as elsewhere, was expected");
  EXPECT_EQ(refusal([&] { settings.expect_text("s", "other"); }),
            file + ": \"s\" is \"text\" but \"other\" was expected");
  EXPECT_EQ(error_of([&] { HuggingFaceSettings(folder.put("b.json", "[1]")); }),
            folder.path("b.json") + ": not a JSON object");
}

TEST(HuggingFaceSettings, MayBeMissing) {
  const TemporaryFolder folder;
  const HuggingFaceSettings none = HuggingFaceSettings::if_there(folder.path("c.json"));
  EXPECT_EQ(none.number("n", 5), 5);
  EXPECT_EQ(none.file(), folder.path("c.json"));
}

}  // namespace
}  // namespace heed
