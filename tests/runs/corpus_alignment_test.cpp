#include "heed/runs/corpus_alignment.h"

#include <gtest/gtest.h>

#include <fstream>

#include "temporary_folder.h"

namespace heed {
namespace {

TEST(PharaohLine, HasLinksBetweenSpaces) {
  EXPECT_EQ(pharaoh_line(std::vector<WordLink>{{0, 0}, {1, 12}}), "0-0 1-12");
  EXPECT_EQ(pharaoh_line({}), "");
}

class CorpusAlignmentTest : public ::testing::Test {
 protected:
  CorpusAlignmentTest() {
    // More pairs than are aligned at a time, so that their order could be lost.
    std::ofstream source(folder_.path("source")), target(folder_.path("target"));
    for (int i = 0; i < 5000; ++i) {
      const std::string word = "w" + std::to_string(i % 97), other = "v" + std::to_string(i % 89);
      source << (i % 10 == 0 ? "" : word + " " + other) << '\n';
      target << other << ' ' << word << '\n';
    }
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CorpusAlignmentTest, KeepsTheOrderOfThePairs) {
  Workers workers(2);
  CorpusAlignment alignment({}, workers);
  const CorpusReport report =
      alignment.learn({.files = {folder_.path("source"), folder_.path("target")}});
  EXPECT_EQ(report.read, 5000);
  EXPECT_EQ(report.dropped_for(Drop::empty_side), 500);
  std::vector<std::string> lines;
  alignment.write_links(Symmetrisation::intersect,
                        [&](const std::string& line) { lines.push_back(line); });
  ASSERT_EQ(lines.size(), 5000u);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i], i % 10 == 0 ? "" : "0-1 1-0") << i;
}

}  // namespace
}  // namespace heed
