#include "heed/data/moses_prefixes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "error_of.h"

namespace heed::moses {
namespace {

using heed::testing::error_of;

bool has(std::string_view language, std::string_view prefix) {
  const std::vector<std::string> prefixes = own_prefixes(language);
  return std::ranges::find(prefixes, prefix) != prefixes.end();
}

TEST(MosesPrefixes, AreReadFromTheFilesOfMoses) {
  EXPECT_EQ(parse_prefixes("# titles\nDr\r\n\n  Prof \nNo #NUMERIC_ONLY#\n", "a"),
            (std::vector<std::string>{"Dr", "Prof", "No #NUMERIC_ONLY#"}));
  EXPECT_EQ(parse_prefixes("", "a"), std::vector<std::string>());
  EXPECT_EQ(error_of([] { parse_prefixes("\xff", "a"); }), "a: is not UTF-8");
}

TEST(MosesPrefixes, OfItsOwnAreTheLanguages) {
  EXPECT_TRUE(has("en", "Dr") && has("en", "A") && has("en", "No #NUMERIC_ONLY#"));
  EXPECT_TRUE(!has("en", "bzw") && !has("en", "7"));
  EXPECT_TRUE(has("de", "bzw") && has("de", "7") && has("de", "z") && !has("de", "100"));
  EXPECT_TRUE(has("ru", "Ж") && has("ru", "г"));
  EXPECT_FALSE(has("cs", "A"));
  EXPECT_EQ(own_prefixes("xx"), own_prefixes("en"));
}

TEST(MosesPrefixes, OccurOnce) {
  for (const char* language :
       {"en", "cs", "de", "es", "fi", "fr", "it", "nl", "pl", "pt", "ru", "sv"}) {
    const std::vector<std::string> all = own_prefixes(language);
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size()) << language;
  }
}

}  // namespace
}  // namespace heed::moses
