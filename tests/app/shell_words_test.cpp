#include "heed/app/manual/shell_words.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(ShellWords, AreQuoted) {
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's $x"), "'it'\\''s $x'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(ShellWords, HaveBackslashesWhereAsked) {
  EXPECT_EQ(with_backslashes("a:b[c]", ":["), "a\\:b\\[c]");
  EXPECT_EQ(with_backslashes("\\", "\\"), "\\\\");
}

}  // namespace
}  // namespace heed
