#include "heed/app/cli/line_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
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
  TextLines in(LineReader(input_of(input), "input"));
  std::ostringstream out;
  Result result;
  transform_lines(in, out, [&](std::span<const std::string> lines) {
    result.chunks.push_back(lines.size());
    std::vector<std::string> found;
    for (const std::string& line : lines) found.push_back(fmt::format("[{}]", line));
    return found;
  });
  result.text = out.str();
  result.counts = in.counts();
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

// Lines that arrive together are translated together, and no line waits for one that is incomplete
// or has not been sent yet.
TEST(LineStream, DoesNotWaitForMoreThanALine) {
  std::array<int, 2> pipe = {};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const auto send = [&](std::string_view text) {
    ASSERT_EQ(::write(pipe[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  Console console{std::cout, std::cerr, TerminalStyle{}};
  console.in = [&] { return open_file(fmt::format("/dev/fd/{}", pipe[0])); };
  TextLines in = open_lines(console, "-", false);
  std::ostringstream out;
  std::vector<size_t> chunks;
  send("a\nb");
  transform_lines(in, out, [&](std::span<const std::string> lines) {
    chunks.push_back(lines.size());
    if (chunks.size() == 1) send("egun\nc\nd");
    if (chunks.size() == 2) send("\n");
    if (chunks.size() == 3) ::close(pipe[1]);
    return std::vector<std::string>(lines.begin(), lines.end());
  });
  EXPECT_EQ(chunks, (std::vector<size_t>{1, 2, 1}));
  EXPECT_EQ(out.str(), "a\nbegun\nc\nd\n");
  ::close(pipe[0]);
}

TEST(LineStream, StopsWhenTheOutputIsClosed) {
  TextLines in(LineReader(input_of(std::string(100000, '\n')), "input"));
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
