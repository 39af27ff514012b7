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

TEST(LineReader, ALineMayHave16MebibytesAndNoMore) {
  const std::string longest(16 << 20, 'x');
  EXPECT_EQ(lines_of("a\n" + longest + "\nb\n"), (Lines{"a", longest, "b"}));
  EXPECT_EQ(testing::error_of([&] { lines_of(longest + "x\nb\n"); }),
            "file: line 1: is longer than 16 MiB");
}

// Returns what the test has put into it, and would block if that is nothing.
class SlowInput : public ByteInput {
 public:
  std::string waiting;
  bool ended = false;

  size_t read(std::span<char> buffer) override {
    EXPECT_TRUE(is_ready()) << "it would wait for ever";
    const size_t count = waiting.copy(buffer.data(), buffer.size());
    waiting.erase(0, count);
    return count;
  }
  bool is_ready() override { return ended || !waiting.empty(); }
};

TEST(LineReader, KnowsWhetherALineIsThere) {
  auto owned = std::make_unique<SlowInput>();
  SlowInput& input = *owned;
  LineReader reader(std::move(owned), "file");
  std::string line;
  EXPECT_FALSE(reader.is_ready());
  input.waiting = "one\ntw";
  EXPECT_TRUE(reader.is_ready());
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_FALSE(reader.is_ready());
  input.waiting.assign(100'000, 'o').append("\nthree");
  EXPECT_TRUE(reader.is_ready());
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "tw" + std::string(100'000, 'o'));
  EXPECT_FALSE(reader.is_ready());
  input.ended = true;
  EXPECT_TRUE(reader.is_ready());
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "three");
  EXPECT_TRUE(reader.is_ready());
  EXPECT_FALSE(reader.next(line));
}

}  // namespace
}  // namespace heed
