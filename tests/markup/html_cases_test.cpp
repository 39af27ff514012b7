// Pages whose translation is known to the byte: tests/markup/html_cases.txt. A case is a line "in"
// and, for orders of words, what comes out; "\n" stands for a line end.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "heed/markup/document.h"
#include "paths.h"
#include "tag_counts.h"
#include "word_translator.h"

namespace heed {
namespace {

using testing::count_tags;
using testing::order_named;
using testing::translate_html;

std::string with_line_ends(std::string text) {
  for (size_t at = text.find("\\n"); at != text.npos; at = text.find("\\n", at + 1))
    text.replace(at, 2, "\n");
  return text;
}

struct Case {
  std::string input, order, expected;
  int line = 0;
};

std::vector<Case> read_cases() {
  std::ifstream file(std::filesystem::path(testing::source_folder).parent_path() /
                     "tests/markup/html_cases.txt");
  std::vector<Case> cases;
  std::string input;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const size_t space = line.find(' ');
    if (line.empty()) continue;
    const std::string word = line.substr(0, space), text = with_line_ends(line.substr(space + 1));
    if (word == "in")
      input = text;
    else
      cases.push_back({input, word, text, number});
  }
  return cases;
}

TEST(HtmlCases, ComeOutAsExpected) {
  const std::vector<Case> cases = read_cases();
  EXPECT_GE(cases.size(), 300U);
  for (const Case& one : cases)
    EXPECT_EQ(translate_html(one.input, order_named(one.order)), one.expected)
        << "html_cases.txt:" << one.line;
}

// What is expected is right: every tag is there, and no other.
TEST(HtmlCases, HaveEveryTagOfTheirInput) {
  for (const Case& one : read_cases()) {
    const std::map<std::string, int> before = count_tags(one.input),
                                     after = count_tags(one.expected);
    for (const auto& [tag, count] : before)
      EXPECT_GE(after.contains(tag) ? after.at(tag) : 0, count)
          << tag << " in html_cases.txt:" << one.line;
    for (const auto& [tag, count] : after)
      EXPECT_TRUE(before.contains(tag)) << tag << " in html_cases.txt:" << one.line;
  }
}

}  // namespace
}  // namespace heed
