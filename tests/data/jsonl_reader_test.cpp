#include "heed/data/jsonl_reader.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "pairs_of.h"

namespace heed {
namespace {

using testing::error_of;
using testing::Pairs;
using testing::pairs_of;

JsonlReader reader_of(const std::string& text, const std::string& source = "",
                      const std::string& target = "") {
  return {LineReader(input_of(text), "a.jsonl"), source, target};
}

TEST(JsonlReader, ReadsSourceAndTarget) {
  JsonlReader reader = reader_of(
      "{\"target\": \"eins\", \"source\": \"one\", \"id\": 1}\n \n"
      "{\"source\": \"t\\u0077o\\n\", \"target\": \"zw\\ud83d\\ude00\"}");
  EXPECT_EQ(pairs_of(reader), (Pairs{{"one", "eins"}, {"two\n", "zw😀"}}));
}

TEST(JsonlReader, ReadsTranslationsByOrderOrByLanguage) {
  const std::string text = R"({"translation": {"en": "one", "de": "eins", "fr": "un"}, "id": "x"})";
  JsonlReader by_order = reader_of(text);
  EXPECT_EQ(pairs_of(by_order), (Pairs{{"one", "eins"}}));
  JsonlReader by_language = reader_of(text, "fr", "en");
  EXPECT_EQ(pairs_of(by_language), (Pairs{{"un", "one"}}));
}

TEST(JsonlReader, KeysCanBeChosen) {
  JsonlReader reader = reader_of(R"({"en": "one", "de": "eins", "translation": {}})", "de", "en");
  EXPECT_EQ(pairs_of(reader), (Pairs{{"eins", "one"}}));
}

TEST(JsonlReader, WhatIsNotUtf8IsDropped) {
  JsonlReader reader = reader_of("{\"source\": \"\xff\", \"target\": \"x\"}\n");
  EXPECT_EQ(testing::drops_of(reader), std::vector<Drop>{Drop::invalid_utf8});
}

TEST(JsonlReader, LinesThatJsonCannotSayAreDropped) {
  const auto drops = [](const std::string& line) {
    JsonlReader reader = reader_of(line + "\n{\"source\": \"a\", \"target\": \"b\"}");
    return testing::drops_of(reader);
  };
  using Drops = std::vector<Drop>;
  for (const char* lone :
       {R"(\ud800)", R"(\ud83dx)", R"(\udc00)", R"(\ud83d\ud83d)", R"(\\\ud83d\n)"})
    EXPECT_EQ(drops(fmt::format(R"({{"source": "x{}", "target": "y"}})", lone)),
              Drops{Drop::invalid_reference})
        << lone;
  EXPECT_EQ(drops(R"({"source": "a", "target": "b", "score": 1e999999})"),
            Drops{Drop::number_out_of_range});
  EXPECT_EQ(drops(R"({"source": "a", "target": "b", "source": "c"})"), Drops{Drop::duplicate_key});
  EXPECT_EQ(drops(R"({"translation": {"en": "a", "de": "b", "de": "c"}})"),
            Drops{Drop::duplicate_key});
  EXPECT_EQ(
      drops(R"({"translation": {"en": "a", "de": "b"}, "translation": {"en": "c", "de": "d"}})"),
      Drops{Drop::duplicate_key});
}

TEST(JsonlReader, WhatBelongsToOthersMayBeThereTwice) {
  JsonlReader reader =
      reader_of(R"({"source": "\\ud800", "target": "b", "id": {"en": 1, "en": 2, "source": "x"}, )"
                R"("id": 12345678901234567890123})");
  EXPECT_EQ(pairs_of(reader), (Pairs{{"\\ud800", "b"}}));
}

TEST(JsonlReader, DeepValuesAreNoDanger) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  JsonlReader reader = reader_of(R"({"source": "a", "target": "b", "deep": )" + deep + "}");
  EXPECT_EQ(pairs_of(reader), (Pairs{{"a", "b"}}));
}

TEST(JsonlReader, SaysWhereAndWhatIsWrong) {
  const auto sentence = [](const std::string& line) {
    JsonlReader reader = reader_of("\n" + line);
    return error_of([&] { pairs_of(reader); });
  };
  EXPECT_EQ(sentence("{\"source\": "),
            "a.jsonl: line 2: a JSON object was expected but \"{\"source\": \" was found");
  EXPECT_EQ(sentence("[1]"), "a.jsonl: line 2: a JSON object was expected but array was found");
  EXPECT_EQ(sentence(R"({"source": "a"})"), "a.jsonl: line 2: the object has no \"target\"");
  EXPECT_EQ(sentence(R"({"source": "a", "target": 3})"),
            "a.jsonl: line 2: \"target\" is number but a string was expected");
  EXPECT_EQ(sentence(R"({"translation": {"en": "a"}})"),
            "a.jsonl: line 2: \"translation\" has 1 keys but two languages were expected");
  EXPECT_EQ(sentence(R"({"translation": {"en": "a", "de": null}})"),
            "a.jsonl: line 2: \"de\" is null but a string was expected");
}

}  // namespace
}  // namespace heed
