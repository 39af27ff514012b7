#include "heed/app/cli/line_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace heed {
namespace {

struct Result {
  std::string text;
  LineCounts counts;
  std::vector<size_t> chunks;
};

// Puts brackets around the lines.
Result bracketed(const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  Result result;
  result.counts = transform_lines(in, out, [&](std::span<const std::string> lines) {
    result.chunks.push_back(lines.size());
    std::vector<std::string> found;
    for (const std::string& line : lines) found.push_back(fmt::format("[{}]", line));
    return found;
  });
  result.text = out.str();
  return result;
}

TEST(LineStream, AsManyLinesOutAsIn) {
  EXPECT_EQ(bracketed("").text, "");
  EXPECT_EQ(bracketed("a\n\nb\n").text, "[a]\n[]\n[b]\n");
  EXPECT_EQ(bracketed("a\nb").text, "[a]\n[b]\n");
  EXPECT_EQ(bracketed("a\r\nb\r\n").text, "[a]\n[b]\n");
  EXPECT_EQ(bracketed("\n\n\n").counts.lines, 3);
  EXPECT_EQ(bracketed(std::string("a\0b\n", 4)).text, std::string("[a\0b]\n", 6));
}

TEST(LineStream, ChunksGrowUpToALimit) {
  const Result result = bracketed(std::string(20000, '\n'));
  EXPECT_EQ(result.counts.lines, 20000);
  ASSERT_GT(result.chunks.size(), 5u);
  EXPECT_EQ(result.chunks[0], 64u);
  EXPECT_EQ(result.chunks[1], 256u);
  EXPECT_EQ(*std::max_element(result.chunks.begin(), result.chunks.end()), 4096u);
  // Long lines count for more.
  std::string long_lines;
  for (int i = 0; i < 10; ++i) long_lines += std::string(1 << 20, 'x') + "\n";
  EXPECT_EQ(bracketed(long_lines).chunks, (std::vector<size_t>{4, 4, 2}));
}

TEST(LineStream, BrokenTextIsRepairedAndCounted) {
  const Result result = bracketed("ok\n\xFF\xFEz\nGr\xC3\xBC\xC3\n");
  EXPECT_EQ(result.text, "[ok]\n[\uFFFD\uFFFDz]\n[Grü\uFFFD]\n");
  EXPECT_EQ(result.counts.lines, 3);
  EXPECT_EQ(result.counts.not_utf8, 2);
}

// An input that hands over a line at a time, as a terminal does.
class SlowInput : public std::streambuf {
 public:
  explicit SlowInput(std::vector<std::string> lines) : lines_(std::move(lines)) {}

 private:
  int_type underflow() override {
    if (next_ == lines_.size()) return traits_type::eof();
    std::string& line = lines_[next_++];
    setg(line.data(), line.data(), line.data() + line.size());
    return traits_type::to_int_type(line[0]);
  }

  std::vector<std::string> lines_;
  size_t next_ = 0;
};

TEST(LineStream, DoesNotWaitForMoreThanALine) {
  SlowInput buffer({"a\n", "b\nc\n", "d\n"});
  std::istream in(&buffer);
  std::ostringstream out;
  std::vector<size_t> chunks;
  transform_lines(in, out, [&](std::span<const std::string> lines) {
    chunks.push_back(lines.size());
    return std::vector<std::string>(lines.begin(), lines.end());
  });
  EXPECT_EQ(chunks, (std::vector<size_t>{1, 2, 1}));
  EXPECT_EQ(out.str(), "a\nb\nc\nd\n");
}

TEST(LineStream, StopsWhenTheOutputIsClosed) {
  std::istringstream in(std::string(100000, '\n'));
  std::ostringstream out;
  int calls = 0;
  transform_lines(in, out, [&](std::span<const std::string> lines) {
    ++calls;
    out.setstate(std::ios::badbit);
    return std::vector<std::string>(lines.size());
  });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace heed
