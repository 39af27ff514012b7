// Pages of the kinds that the web is made of (tests/markup/pages), through every order of words.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/markup/document.h"
#include "paths.h"
#include "tag_counts.h"
#include "word_translator.h"

namespace heed {
namespace {

using testing::count_tags;
using testing::translate_html;
using testing::WordOrder;

std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> found;
  for (const auto& file : std::filesystem::directory_iterator(
           std::filesystem::path(testing::source_folder).parent_path() / "tests/markup/pages"))
    found.push_back(file.path());
  std::ranges::sort(found);
  return found;
}

std::string contents_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Pages, AreTwenty) { EXPECT_GE(pages().size(), 20U); }

TEST(Pages, KeepTheirTags) {
  for (const std::filesystem::path& path : pages()) {
    const std::string page = contents_of(path);
    const std::map<std::string, int> before = count_tags(page);
    EXPECT_GT(before.size(), 4U);
    for (const WordOrder order : {WordOrder::reversed, WordOrder::swapped_pairs,
                                  WordOrder::last_to_front, WordOrder::dropped}) {
      const std::map<std::string, int> after = count_tags(translate_html(page, order));
      for (const auto& [tag, count] : before)
        EXPECT_GE(after.contains(tag) ? after.at(tag) : 0, count) << path << " " << tag;
      for (const auto& [tag, count] : after)
        EXPECT_TRUE(before.contains(tag)) << path << " " << tag;
    }
  }
}

// Where the order of words stays, no element needs to be split.
TEST(Pages, HaveTheSameTagsInTheSameOrder) {
  for (const std::filesystem::path& path : pages()) {
    const std::string page = contents_of(path), translated = translate_html(page, WordOrder::same);
    EXPECT_NE(translated, page);
    EXPECT_EQ(count_tags(translated), count_tags(page)) << path;
  }
}

// A translator that says what it was told changes nothing that a reader would see.
TEST(Pages, StayAsTheyAreWhereNothingIsTranslated) {
  for (const std::filesystem::path& path : pages()) {
    const std::string page = contents_of(path);
    const Document document(page, {.kind = MarkupKind::html, .language = "en"});
    EXPECT_EQ(document.finish().text, page) << path;
  }
}

}  // namespace
}  // namespace heed
