#include "heed/data/line_reader.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  LineReader reader(input_of(text), "file");
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  EXPECT_EQ(reader.lines(), static_cast<int64_t>(lines.size()));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, CutsAtEitherLineEnd) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
  EXPECT_EQ(lines_of("a"), Lines{"a"});
  EXPECT_EQ(lines_of("a\nb\r\n\r\nc"), (Lines{"a", "b", "", "c"}));
  EXPECT_EQ(lines_of("a\rb\n"), Lines{"a\rb"});
  EXPECT_EQ(lines_of(std::string("a\0b\n", 4)), Lines{std::string("a\0b", 3)});
}

TEST(LineReader, LinesMayBeLongerThanItsBuffer) {
  for (const size_t size : {65535, 65536, 65537, 300000}) {
    const std::string line(size, 'x');
    EXPECT_EQ(lines_of(line + "\r\n" + line), (Lines{line, line}));
  }
}

TEST(LineReader, ALineWithoutEndIsAnError) {
  LineReader reader(input_of("short\n" + std::string(17 << 20, 'x')), "file");
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(testing::error_of([&] { reader.next(line); }), "file: line 2: is longer than 16 MiB");
}

}  // namespace
}  // namespace heed
