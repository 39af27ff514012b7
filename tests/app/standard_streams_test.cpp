#include "heed/app/cli/standard_streams.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "heed/base/files.h"
#include "paths.h"
#include "shell.h"
#include "small_model.h"

namespace heed {
namespace {

using Flags = std::vector<FileFlag>;

std::string refusal_of(void (*check)(std::span<const FileFlag>), const Flags& flags) {
  try {
    check(flags);
  } catch (const CLI::ValidationError& error) {
    return error.what();
  }
  return "";
}

TEST(StandardStreamFlags, AStreamIsThereOnce) {
  EXPECT_EQ(
      refusal_of(check_one_reads_standard_input, {{"--a", "-"}, {"--b", "file"}, {"--c", ""}}), "");
  EXPECT_EQ(refusal_of(check_one_reads_standard_input, {{"--a", "-"}, {"--b", "/dev/stdin"}}),
            "--b: standard input can be read only once, and it is for --a");
  EXPECT_EQ(refusal_of(check_one_reads_standard_input, {{"--a", "-"}, {"--a", "-"}}),
            "--a: standard input can be read only once");
  EXPECT_EQ(refusal_of(check_one_writes_standard_output, {{"--a", "/dev/fd/1"}, {"--b", "-"}}),
            "--b: standard output can be written only once, and it is for --a");
}

TEST(StandardStreamFlags, AFileHasAName) {
  CLI::Validator check = file_name();
  std::string none, some = "-";
  EXPECT_EQ(check(none), "\"\" but the name of a file was expected");
  EXPECT_EQ(check(some), "");
}

class StandardStreams : public ::testing::Test {
 protected:
  StandardStreams() {
    shell_.folder().put("a.tsv", "one\teins\n");
    std::string many;
    for (int i = 0; i < 100'000; ++i) many += "many words\tviele Wörter\n";
    shell_.folder().put("many.tsv", many);
  }

  std::string text(const std::string& name) const { return shell_.folder().text(name); }

  int partial_files() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(shell_.folder().path("")))
      count += is_partial_file(entry.path());
    return count;
  }

  testing::Shell shell_{testing::heed_program};
};

TEST_F(StandardStreams, WhatAFileHeldStaysWhenItIsAppendedTo) {
  for (const char* output : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"}) {
    const auto result =
        shell_.run(std::string("echo before > log; $HEED corpus --input a.tsv --output ") + output +
                   " target >> log");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(text("log"), "before\none\n") << output;
    EXPECT_EQ(text("target"), "eins\n");
    EXPECT_TRUE(result.err.starts_with("Pairs       1 read")) << result.err;
  }
}

TEST_F(StandardStreams, TranslationsAreAppendedToWhatAFileHeld) {
  testing::put_model(shell_.folder().path("model"));
  const std::string translate = "echo ba | $HEED translate --model model --max-length 3 ";
  const std::string expected = shell_.run(translate).out;
  ASSERT_FALSE(expected.empty());
  for (const char* output : {"/dev/stdout", "-"}) {
    shell_.folder().put("log", "before\n");
    const auto result = shell_.run(translate + "--output " + output + " >> log");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(text("log"), "before\n" + expected) << output;
  }
}

TEST_F(StandardStreams, AClosedOneIsAnErrorAndNoOtherFileIsTakenForIt) {
  const auto no_input = shell_.run("$HEED corpus --input - --format tsv --output s t <&-");
  EXPECT_EQ(no_input.code, 1);
  EXPECT_EQ(no_input.err, "heed: standard input: cannot be read: Bad file descriptor\n");
  const auto no_output = shell_.run("$HEED corpus --input a.tsv --output s t >&-");
  EXPECT_EQ(no_output.code, 1);
  EXPECT_EQ(no_output.err, "heed: standard output: cannot be written: Bad file descriptor\n");
  EXPECT_EQ(text("a.tsv"), "one\teins\n");
  EXPECT_EQ(text("s"), "one\n");
  EXPECT_EQ(text("t"), "eins\n");
  EXPECT_EQ(shell_.run("$HEED corpus --input none.tsv --output u v 2>&-").code, 1);
  EXPECT_FALSE(std::filesystem::exists(shell_.folder().path("u")));
}

TEST_F(StandardStreams, AFullDiskIsSaid) {
  EXPECT_EQ(shell_.run("$HEED corpus --input a.tsv >/dev/full").err,
            "heed: standard output: cannot be written: No space left on device\n");
  EXPECT_EQ(shell_.run("$HEED corpus --input many.tsv --output t /dev/full").err,
            "heed: /dev/full: cannot be written: No space left on device\n");
  const auto limited = shell_.run("ulimit -f 100; $HEED corpus --input many.tsv --output s t");
  EXPECT_EQ(limited.code, 1);
  EXPECT_EQ(limited.err, "heed: t: cannot be written: File too large\n");
  EXPECT_EQ(partial_files(), 0);
}

TEST_F(StandardStreams, AReaderThatHasGoneEndsTheProgramInSilence) {
  const auto result = shell_.run(
      "{ $HEED corpus --input many.tsv --output - target; echo $? >code; } | head -c 1 >/dev/null");
  EXPECT_EQ(text("code"), "141\n");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(partial_files(), 0);
  EXPECT_FALSE(std::filesystem::exists(shell_.folder().path("target")));
}

TEST_F(StandardStreams, APictureStandsAlone) {
  const auto result = shell_.run("$HEED demo --steps 1 --threads 1 --svg -");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("<?xml")) << result.out.substr(0, 80);
  EXPECT_TRUE(result.out.ends_with("</svg>\n")) << result.out.substr(result.out.size() - 80);
  EXPECT_NE(result.err.find("unseen dates exactly right"), std::string::npos) << result.err;
}

TEST_F(StandardStreams, ArraysGoThroughPipes) {
  const auto result = shell_.run(
      "$HEED attend --example example && $HEED attend --input example --output direct && "
      "cat example | $HEED attend --input - --output - > piped && cmp direct piped && "
      "$HEED attend --input - --svg - < example");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("<?xml")) << result.out;
  const auto broken = shell_.run("echo none | $HEED attend --input - --show");
  EXPECT_EQ(broken.code, 1);
  EXPECT_TRUE(broken.err.starts_with("heed: standard input: ")) << broken.err;
  EXPECT_EQ(shell_.run("$HEED attend --input example --show --svg -").code, 2);
}

}  // namespace
}  // namespace heed
