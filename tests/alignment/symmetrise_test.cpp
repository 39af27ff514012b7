#include "heed/alignment/symmetrise.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Links = std::vector<WordLink>;

// A row for each source word, a column for each target word. F and R: a link of one direction; B:
// of both.
struct Picture {
  std::vector<std::string> rows;

  Links links(std::string_view signs) const {
    Links found;
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t j = 0; j < rows[i].size(); ++j)
        if (signs.find(rows[i][j]) != signs.npos)
          found.push_back({static_cast<int64_t>(i), static_cast<int64_t>(j)});
    return found;
  }

  // The links as a picture.
  std::vector<std::string> after(Symmetrisation method) const {
    const auto sources = static_cast<int64_t>(rows.size()),
               targets = static_cast<int64_t>(rows[0].size());
    std::vector<std::string> picture(rows.size(), std::string(rows[0].size(), '.'));
    for (const auto [i, j] : symmetrise(method, links("FB"), links("RB"), sources, targets))
      picture[static_cast<size_t>(i)][static_cast<size_t>(j)] = 'x';
    return picture;
  }
};

using Rows = std::vector<std::string>;

const Picture picture = {{"B....",  //
                          ".F...",  // next to a link of both
                          "..R..",  // next to one that grew
                          "R...B",  // both words have a link: never added
                          "...F."}};

TEST(Symmetrise, KeepsADirection) {
  EXPECT_EQ(picture.after(Symmetrisation::forward),
            (Rows{"x....", ".x...", ".....", "....x", "...x."}));
  EXPECT_EQ(picture.after(Symmetrisation::reverse),
            (Rows{"x....", ".....", "..x..", "x...x", "....."}));
}

TEST(Symmetrise, IntersectsAndUnites) {
  EXPECT_EQ(picture.after(Symmetrisation::intersect),
            (Rows{"x....", ".....", ".....", "....x", "....."}));
  EXPECT_EQ(picture.after(Symmetrisation::unite),
            (Rows{"x....", ".x...", "..x..", "x...x", "...x."}));
}

TEST(Symmetrise, GrowsToNeighboursOfNeighbours) {
  EXPECT_EQ(picture.after(Symmetrisation::grow_diag),
            (Rows{"x....", ".x...", "..x..", "....x", "...x."}));
}

TEST(Symmetrise, DoesNotGrowWhereBothWordsHaveALink) {
  const Picture full = {{"BF", "RB"}};
  EXPECT_EQ(full.after(Symmetrisation::grow_diag), (Rows{"x.", ".x"}));
  EXPECT_EQ(full.after(Symmetrisation::grow_diag_final), (Rows{"x.", ".x"}));
  EXPECT_EQ(full.after(Symmetrisation::unite), (Rows{"xx", "xx"}));
}

TEST(Symmetrise, AddsWhatIsLeftAtTheEnd) {
  const Picture lonely = {{"B....",  //
                           ".....",  //
                           "...F.",  // both words are free
                           ".....",  //
                           "R...."}};
  EXPECT_EQ(lonely.after(Symmetrisation::grow_diag),
            (Rows{"x....", ".....", ".....", ".....", "....."}));
  EXPECT_EQ(lonely.after(Symmetrisation::grow_diag_final),
            (Rows{"x....", ".....", "...x.", ".....", "x...."}))
      << "one free word is enough";
  EXPECT_EQ(lonely.after(Symmetrisation::grow_diag_final_and),
            (Rows{"x....", ".....", "...x.", ".....", "....."}))
      << "both must be free";
}

TEST(Symmetrise, LinksOfTheForwardDirectionComeFirstAtTheEnd) {
  const Picture rivals = {{"B...", "....", "..F.", "....", "..R."}};
  EXPECT_EQ(rivals.after(Symmetrisation::grow_diag_final_and),
            (Rows{"x...", "....", "..x.", "....", "...."}));
}

TEST(Symmetrise, OfNothingIsNothing) {
  for (const Symmetrisation method : every_symmetrisation) {
    EXPECT_EQ(symmetrise(method, {}, {}, 0, 3), Links()) << name_of(method);
    EXPECT_EQ(symmetrise(method, {}, {}, 3, 3), Links()) << name_of(method);
  }
}

}  // namespace
}  // namespace heed
