#include "heed/app/cli/translation_progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace heed {
namespace {

TEST(TranslationProgress, SaysHowFarItIs) {
  EXPECT_EQ(progress_text(1200, 4, 3000, 12000), "1200 lines · 300 per second · 0:12 left");
  EXPECT_EQ(progress_text(1200, 4, 12000, 12000), "1200 lines · 300 per second · 0:00 left");
  // A pipe has no size, and a file may have grown.
  EXPECT_EQ(progress_text(1200, 4, 3000, 0), "1200 lines · 300 per second");
  EXPECT_EQ(progress_text(0, 0, 0, 100), "0 lines");
}

TEST(TranslationProgress, IsSeenOnlyWhereItDoesNotDisturb) {
  const auto shown = [](bool out_is_terminal, bool err_is_terminal) {
    std::ostringstream out, err;
    Console console{out, err, TerminalStyle{}};
    console.out_is_terminal = out_is_terminal;
    console.err_is_terminal = err_is_terminal;
    TranslationProgress(console).add(std::vector<std::string>{"a", "b"});
    return err.str();
  };
  EXPECT_EQ(shown(false, false), "");
  EXPECT_EQ(shown(true, true), "");
  EXPECT_EQ(shown(true, false), "");
  EXPECT_TRUE(shown(false, true).starts_with("\r\033[K2 lines"));
  EXPECT_TRUE(shown(false, true).ends_with("\r\033[K"));
}

}  // namespace
}  // namespace heed
