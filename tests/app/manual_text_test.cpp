#include "heed/app/manual/manual_text.h"

#include <gtest/gtest.h>

#include "heed/base/text.h"

namespace heed {
namespace {

using Kind = TextBlock::Kind;
using Blocks = std::vector<TextBlock>;

TEST(ManualText, TellsProseListingsAndExamplesApart) {
  const ManualText text = read_manual_text(
      "One paragraph\nin two lines.\n\n"
      "A list:\n  a  1\n  b  2\n\n"
      "More.\n\n"
      "  $ do this\n  and see\n\n  that\n\n"
      "The end.\n");
  EXPECT_EQ(text.description, (Blocks{{Kind::prose, "One paragraph in two lines."},
                                      {Kind::prose, "A list:"},
                                      {Kind::listing, "a  1\nb  2\n"},
                                      {Kind::prose, "More."},
                                      {Kind::prose, "The end."}}));
  EXPECT_EQ(text.examples, (Blocks{{Kind::listing, "$ do this\nand see\n\nthat\n"}}));
}

TEST(ManualText, KeepsWhatIntroducesAnExample) {
  const ManualText text =
      read_manual_text("Prose.\n\nExample: bake.\n\n  $ bake\n\nExamples:\n  $ bake again\n");
  EXPECT_EQ(text.description, (Blocks{{Kind::prose, "Prose."}}));
  EXPECT_EQ(text.examples, (Blocks{{Kind::prose, "Bake."},
                                   {Kind::listing, "$ bake\n"},
                                   {Kind::listing, "$ bake again\n"}}));
}

TEST(ManualText, OfNothingIsEmpty) {
  EXPECT_TRUE(read_manual_text("").description.empty());
  EXPECT_TRUE(read_manual_text("\n\n").examples.empty());
}

TEST(ManualText, WrapsBetweenWords) {
  EXPECT_EQ(wrap("one two three four", 9, "- ", "  "), "- one two\n  three\n  four\n");
  EXPECT_EQ(wrap("incomprehensibilities are long", 5, "", ""),
            "incomprehensibilities\nare\nlong\n");
  EXPECT_EQ(wrap("漢字 漢字", 8, "", ""), "漢字\n漢字\n");  // two columns each
  EXPECT_EQ(wrap("", 10, "", ""), "\n");
}

}  // namespace
}  // namespace heed
