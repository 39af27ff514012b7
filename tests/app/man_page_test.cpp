#include "heed/app/manual/man_page.h"

#include <gtest/gtest.h>

#include "manual_test.h"

namespace heed {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ManPage, OfACommand) {
  const ProgramManual manual = testing::SmallProgram().manual();
  const std::string page = man_page(manual, manual.commands[0]);
  EXPECT_TRUE(page.starts_with(".TH SMALL\\-BAKE 1 2026-01-02 \"small 1.2\" \"small manual\"\n"));
  EXPECT_TRUE(has(page, ".SH NAME\nsmall\\-bake \\- bake a cake\n"));
  EXPECT_TRUE(has(page, "\\fBsmall\\fR bake \\-\\-into FOLDER [OPTIONS] FROM\n"));
  EXPECT_TRUE(
      has(page, ".TP\n\\fB\\-\\-files\\fR \\fIFILES...\\fR\nRecipes: as many as you like.\n"));
  EXPECT_TRUE(has(page, ".TP\n\\fB\\-\\-form\\fR \\fBround|long:N|10%\\fR\n"));  // typed as it is
  EXPECT_TRUE(has(page, ".SS Oven [hot]\n.TP\n\\fB\\-\\-minutes\\fR \\fIN\\fR\n"));
  EXPECT_TRUE(has(page, ".SH EXAMPLES\n.RS 4\n.EX\n$ small bake flour \\-\\-into .\n.EE\n.RE\n"));
  EXPECT_TRUE(has(page, ".SH SEE ALSO\n.BR small (1)\n"));
  EXPECT_FALSE(has(page, "secret"));
}

// Quotes, backslashes and full stops at the beginning of a line mean something to roff.
TEST(ManPage, TextIsNotTakenForRequests) {
  const ProgramManual manual = testing::SmallProgram().manual();
  EXPECT_TRUE(has(man_page(manual, manual.commands[0]),
                  ".SH DESCRIPTION\nIt\\(aqs done when it\\(aqs done.\n\\&.5 is half; a\\eb.\n"));
}

TEST(ManPage, CharactersBeyondAsciiAreEscapes) {
  ProgramManual manual = testing::SmallProgram().manual();
  manual.commands[0].description = "Bake Küchlein ▓";
  EXPECT_TRUE(has(man_page(manual, manual.commands[0]), "bake K\\[u00FC]chlein \\[u2593]\n"));
}

TEST(ManPage, OfTheProgramNamesItsCommands) {
  const std::string page = man_page(testing::SmallProgram().manual());
  EXPECT_TRUE(has(page, ".TP\n.BR small\\-bake (1)\nBake a cake.\n"));
  EXPECT_TRUE(has(page, ".TP\n\\fBOVEN\\fR\n\\-\\-minutes for small bake.\n"));
  EXPECT_TRUE(has(page, ".SH EXIT STATUS\n.TP\n\\fB0\\fR\nDone.\n"));
  EXPECT_FALSE(has(page, "hidden"));
}

}  // namespace
}  // namespace heed
