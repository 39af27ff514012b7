#include "heed/weights/marian_settings.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

MarianSettings parse(std::string_view yaml) { return MarianSettings::parse(yaml, "m.yml"); }

TEST(MarianSettings, AreNamesWithValuesOrLists) {
  const MarianSettings settings = parse(
      "dim-emb: 128\nskip: false\ntransformer-preprocess: \"\"\nnormalize: 0.6\n"
      "dim-vocabs:\n  - 4000\n  - 32000\ninput-types:\n  []\nvocabs: [a.spm, b.spm]\n");
  EXPECT_EQ(settings.integer("dim-emb", 0), 128);
  EXPECT_FALSE(settings.truth("skip", true));
  EXPECT_EQ(settings.text("transformer-preprocess", "n"), "");
  EXPECT_EQ(settings.number("normalize", 0), 0.6);
  EXPECT_EQ(settings.integers("dim-vocabs"), (std::vector<int64_t>{4000, 32000}));
  EXPECT_TRUE(settings.contains("input-types"));
  EXPECT_TRUE(settings.list("input-types").empty());
  EXPECT_EQ(settings.list("vocabs"), (std::vector<std::string>{"a.spm", "b.spm"}));
  EXPECT_EQ(settings.integer("absent", 7), 7);
  EXPECT_TRUE(settings.list("absent").empty());
}

TEST(MarianSettings, MayBeAListOfWords) {
  const MarianSettings words = parse("{\"</s>\": 0, \"\\u00e4\": 2, \":\": 3}");
  ASSERT_EQ(words.entries().size(), 3u);
  EXPECT_EQ(words.entries()[1].name, "ä");
  EXPECT_EQ(words.entries()[1].values, (std::vector<std::string>{"2"}));
}

TEST(MarianSettings, RefuseWhatTheyAreNot) {
  const auto refusal = [](const std::string& yaml) { return error_of([&] { parse(yaml); }); };
  EXPECT_TRUE(refusal("a: [1, 2").starts_with("m.yml: ")) << refusal("a: [1, 2");
  EXPECT_EQ(refusal("a: 1\n b: 2\n").substr(0, 27), "m.yml: is not YAML: line 2:");
  EXPECT_EQ(refusal("a:\n  b: 1\n"), "m.yml: line 2 nests deeper than names with values or lists");
  EXPECT_EQ(refusal("a: [[1]]"), "m.yml: line 1 nests deeper than names with values or lists");
  EXPECT_EQ(refusal("a: &x 1\nb: *x\n"),
            "m.yml: line 2 has an alias, which is not expected in settings");
  EXPECT_EQ(refusal(""), "m.yml: names with values, or a list, were expected");
  EXPECT_EQ(refusal("one"), "m.yml: line 1 nests deeper than names with values or lists");
  for (const std::string& deep :
       {std::string(100'000, '['), std::string(100'000, '{'), "a: " + std::string(100'000, '[')})
    EXPECT_TRUE(refusal(deep).starts_with("m.yml: ")) << refusal(deep).substr(0, 100);
}

TEST(MarianSettings, SayWhatWasExpectedOfAValue) {
  const MarianSettings settings = parse("a: many\nb: [1]\nc: 99999999999\nd:\n");
  EXPECT_EQ(error_of([&] { settings.integer("a", 0); }),
            "m.yml: \"a\" is \"many\" but a number from 0 to 268435456 was expected");
  EXPECT_EQ(error_of([&] { settings.truth("a", false); }),
            "m.yml: \"a\" is \"many\" but true or false was expected");
  EXPECT_EQ(error_of([&] { settings.text("b", ""); }),
            "m.yml: \"b\" is \"a list\" but one value was expected");
  EXPECT_FALSE(error_of([&] { settings.integer("c", 0); }).empty());
  EXPECT_EQ(settings.text("d", "x"), "");
}

}  // namespace
}  // namespace heed
