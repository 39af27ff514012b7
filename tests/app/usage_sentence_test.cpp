#include "heed/app/cli/usage_sentence.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

std::string sentence_for(std::vector<std::string> arguments) {
  CLI::App command("", "heed");
  int beam = 0;
  std::string folder, named;
  std::vector<std::string> files;
  command.add_option("--beam", beam);
  command.add_option("--files", files)->expected(2);
  CLI::Option* option = command.add_option("--folder", folder);
  command.add_option("--named", named)->excludes(option);
  command.add_option_function<std::string>("--kind", [](const std::string&) {
    throw CLI::ValidationError("--kind", "\"x\" but a or b was expected");
  });
  try {
    std::reverse(arguments.begin(), arguments.end());
    command.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return usage_sentence(error);
  }
  return "";
}

TEST(UsageSentence, NamesWhatWasNotExpected) {
  EXPECT_EQ(sentence_for({"--baem", "3"}), "there is no flag \"--baem\"");
  EXPECT_EQ(sentence_for({"one", "two"}), "unexpected arguments \"one two\"");
  EXPECT_EQ(sentence_for({"--baem=3"}), "there is no flag \"--baem=3\"");
  EXPECT_EQ(sentence_for({"extra"}), "unexpected argument \"extra\"");
  EXPECT_EQ(sentence_for({""}), "unexpected argument \"\"");
  EXPECT_EQ(sentence_for({"a\nb"}), "unexpected argument \"a\\x0ab\"");
}

TEST(UsageSentence, SaysHowManyValuesWereExpected) {
  EXPECT_EQ(sentence_for({"--beam"}), "--beam: a value was expected");
  EXPECT_EQ(sentence_for({"--beam", "3", "--beam", "4"}),
            "--beam: given 2 times, but once was expected");
  EXPECT_EQ(sentence_for({"--files", "a"}), "--files: 1 given, but 2 values were expected");
  EXPECT_EQ(sentence_for({"--files"}), "--files: a value was expected");
}

TEST(UsageSentence, NamesWhatDoesNotGoTogether) {
  EXPECT_EQ(sentence_for({"--folder", "a", "--named", "b"}),
            "--folder and --named do not go together");
}

TEST(UsageSentence, NamesAnArgumentAsTheUsageDoes) {
  CLI::App command("", "heed");
  std::string from;
  command.add_option("from", from)->required();
  try {
    command.parse(std::vector<std::string>());
    FAIL() << "nothing was thrown";
  } catch (const CLI::ParseError& error) {
    EXPECT_EQ(usage_sentence(error), "FROM is required");
  }
}

TEST(UsageSentence, LeavesWhatTheProgramSaysItself) {
  EXPECT_EQ(sentence_for({"--kind", "x"}), "--kind: \"x\" but a or b was expected");
}

}  // namespace
}  // namespace heed
