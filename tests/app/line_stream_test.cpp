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
};

// The line between brackets, at once.
PendingLine bracket(const std::string& line) {
  return {.is_done = [] { return true; },
          .take = [text = fmt::format("[{}]", line)] { return text; }};
}

Result bracketed(const std::string& input) {
  TextLines in(LineReader(input_of(input), "input"));
  std::ostringstream out;
  pass_lines(in, out, bracket);
  return {out.str(), in.counts()};
}

TEST(LineStream, AsManyLinesOutAsIn) {
  EXPECT_EQ(bracketed("").text, "");
  EXPECT_EQ(bracketed("a\n\nb\n").text, "[a]\n[]\n[b]\n");
  EXPECT_EQ(bracketed("a\nb").text, "[a]\n[b]\n");
  EXPECT_EQ(bracketed("a\r\nb\r\n").text, "[a]\n[b]\n");
  EXPECT_EQ(bracketed("\n\n\n").counts.lines, 3);
  EXPECT_EQ(bracketed(std::string("a\0b\n", 4)).text, std::string("[a\0b]\n", 6));
}

// Lines that are never done before they are asked for: how many are pending at once.
size_t most_pending(const std::string& input, const LineLimits& limits = {}) {
  TextLines in(LineReader(input_of(input), "input"));
  std::ostringstream out;
  size_t pending = 0, most = 0;
  pass_lines(
      in, out,
      [&](const std::string&) -> PendingLine {
        most = std::max(most, ++pending);
        return {.is_done = [] { return false; },
                .take =
                    [&] {
                      --pending;
                      return std::string();
                    }};
      },
      {}, limits);
  return most;
}

TEST(LineStream, BoundedMemoryIsPending) {
  EXPECT_EQ(most_pending(std::string(20000, '\n')), 4096u);
  EXPECT_EQ(most_pending(std::string(20, '\n'), {.lines = 7}), 7u);
  std::string long_lines;
  for (int i = 0; i < 10; ++i) long_lines += std::string(1000, 'x') + "\n";
  EXPECT_EQ(most_pending(long_lines, {.bytes = 2500}), 3u);
  EXPECT_EQ(most_pending(long_lines, {.bytes = 1}), 1u);
}

// A line is written when it and those before it are done, and no later.
TEST(LineStream, WritesInOrderWhatIsDone) {
  TextLines in(LineReader(input_of("a\nb\nc\nd\n"), "input"));
  std::ostringstream out;
  std::vector<size_t> written;
  pass_lines(
      in, out,
      [&](const std::string& line) -> PendingLine {
        return {.is_done = [=] { return line != "c"; }, .take = [=] { return line; }};
      },
      [&](std::span<const std::string> lines) { written.push_back(lines.size()); });
  EXPECT_EQ(out.str(), "a\nb\nc\nd\n");
  EXPECT_EQ(written, (std::vector<size_t>{2, 2}));
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
  std::vector<std::string> seen;  // of the input and of the output, as they come
  send("a\nb");
  pass_lines(in, out, [&](const std::string& line) -> PendingLine {
    seen.push_back("> " + line);
    return {.is_done = [] { return true; },
            .take =
                [&, line] {
                  seen.push_back("< " + line);
                  if (line == "a") send("egun\nc\nd");
                  if (line == "c") send("\n");
                  if (line == "d") ::close(pipe[1]);
                  return line;
                }};
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"> a", "< a", "> begun", "> c", "< begun", "< c", "> d",
                                            "< d"}));
  EXPECT_EQ(out.str(), "a\nbegun\nc\nd\n");
  ::close(pipe[0]);
}

TEST(LineStream, StopsWhenTheOutputIsClosed) {
  TextLines in(LineReader(input_of(std::string(100000, '\n')), "input"));
  std::ostringstream out;
  int calls = 0;
  pass_lines(in, out, [&](const std::string&) -> PendingLine {
    return {.is_done = [] { return false; },
            .take =
                [&] {
                  ++calls;
                  out.setstate(std::ios::badbit);
                  return std::string();
                }};
  });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace heed
