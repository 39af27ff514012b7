#include "heed/runs/link_evaluation.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

TEST(LinkEvaluation, ComparesLineByLine) {
  const AlignmentCounts counts =
      judge_links({"found", {"0-0 1-1", "0-1"}}, {"gold", {"1-1 2p2", "1-1 1p2"}}, 1);
  EXPECT_EQ(counts, (AlignmentCounts{.found = 3, .sure = 2, .found_sure = 1, .found_possible = 3}));
  EXPECT_EQ(to_text(counts), "AER 20.0  precision 100.0  recall 50.0  (3 links, 2 sure)\n");
}

TEST(LinkEvaluation, SaysWhereAMistakeIs) {
  EXPECT_EQ(testing::error_of([] {
              judge_links({"a", {"0-0"}}, {"b", {"0-0", ""}}, 0);
            }),
            "a has 1 lines, but b has 2");
  EXPECT_EQ(testing::error_of([] {
              judge_links({"a", {}}, {"b", {}}, 0);
            }),
            "b: there are no links");
  EXPECT_EQ(testing::error_of([] {
              judge_links({"a", {"", "zero"}}, {"b", {"", ""}}, 0);
            }).rfind("a: line 2: \"zero\" is no link", 0),
            0u);
  EXPECT_EQ(testing::error_of([] {
              judge_links({"a", {""}}, {"b", {"0-0"}}, 1);
            }).rfind("b: line 1: \"0-0\" is no link", 0),
            0u);
}

}  // namespace
}  // namespace heed
