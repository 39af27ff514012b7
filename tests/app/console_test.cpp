#include "heed/app/cli/console.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace heed {
namespace {

TerminalStyle style(bool is_terminal, const std::map<std::string, std::string>& variables) {
  return choose_style(is_terminal, 120, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Console, ColoursAreForTerminals) {
  EXPECT_EQ(style(true, {{"TERM", "xterm-256color"}}).ink, Ink::palette);
  EXPECT_EQ(style(true, {{"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}}).ink,
            Ink::truecolour);
  EXPECT_EQ(style(false, {{"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}}).ink,
            Ink::shades);
  EXPECT_EQ(style(true, {{"TERM", "dumb"}, {"COLORTERM", "truecolor"}}).ink, Ink::shades);
  EXPECT_EQ(style(true, {{"TERM", "vt100"}}).ink, Ink::shades);
}

TEST(Console, NoColorIsRespected) {
  EXPECT_EQ(style(true, {{"TERM", "xterm-256color"}, {"NO_COLOR", "1"}}).ink, Ink::shades);
  EXPECT_EQ(style(true, {{"TERM", "xterm-256color"}, {"NO_COLOR", ""}}).ink, Ink::palette);
}

TEST(Console, LocalesWithoutUnicodeGetDigits) {
  EXPECT_EQ(style(false, {}).ink, Ink::shades);
  EXPECT_EQ(style(false, {{"LANG", "C"}}).ink, Ink::digits);
  EXPECT_EQ(style(false, {{"LANG", "de_DE.ISO-8859-1"}}).ink, Ink::digits);
  EXPECT_EQ(style(false, {{"LANG", "C.UTF-8"}}).ink, Ink::shades);
  EXPECT_EQ(style(false, {{"LANG", "en_GB.utf8"}}).ink, Ink::shades);
  EXPECT_EQ(style(false, {{"LC_ALL", "C"}, {"LANG", "C.UTF-8"}}).ink, Ink::digits);
}

TEST(Console, ATerminalsWidthIsUsed) {
  EXPECT_EQ(style(true, {}).width, 120);
  EXPECT_EQ(style(false, {}).width, 80);
}

}  // namespace
}  // namespace heed
