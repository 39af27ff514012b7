#include "heed/app/cli/generate_command.h"

#include "external_data.h"
#include "heed/base/json.h"
#include "program_test.h"
#include "small_language_model.h"

namespace heed {
namespace {

using testing::Outcome;

class GenerateCommandTest : public testing::ProgramTest {
 protected:
  GenerateCommandTest() { testing::put_language_model(path("model")); }

  Outcome generate(std::vector<std::string> more, const std::string& input = "") const {
    more.insert(more.begin(), {"generate", "--model", path("model")});
    return run(more, input);
  }
};

TEST_F(GenerateCommandTest, ContinuesThePromptOrEachLine) {
  const Outcome one = generate({"--greedy", "--max-tokens", "5", "ba ko"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(one.out.starts_with("ba ko")) << one.out;
  EXPECT_GT(one.out.size(), 6);
  const Outcome lines = generate({"--greedy", "--max-tokens", "5"}, "ri\nba ko\n");
  EXPECT_EQ(lines.code, 0) << lines.err;
  EXPECT_EQ(std::ranges::count(lines.out, '\n'), 2);
  EXPECT_TRUE(lines.out.ends_with(one.out));
  EXPECT_EQ(generate({}, "").out, "");
}

TEST_F(GenerateCommandTest, AnEmptyLineStaysEmpty) {
  const Outcome lines = generate({"--greedy", "--max-tokens", "5"}, "ri\n\nri\n");
  EXPECT_EQ(lines.code, 0) << lines.err;
  const std::string one = generate({"--greedy", "--max-tokens", "5"}, "ri\n").out;
  EXPECT_EQ(lines.out, one + "\n" + one);
  const std::string nothing =
      "{\"ids\":[],\"continuation\":[],\"text\":\"\",\"log-probability\":0.0,\"ending\":\"end\"}\n";
  EXPECT_EQ(generate({"--json"}, "\n").out, nothing);
  EXPECT_EQ(generate({"--json", "--samples", "2"}, "\n").out, nothing + nothing);
}

TEST_F(GenerateCommandTest, NamesTheLineThatLeavesNoRoom) {
  std::string prompt;
  for (int i = 0; i < 30; ++i) prompt += "ba ";
  const Outcome result = generate({"--greedy"}, "ri\n" + prompt + "\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.err.starts_with("heed: standard input: line 2: generate: the prompt has "))
      << result.err;
}

TEST_F(GenerateCommandTest, WritesObjects) {
  const Outcome lines = generate({"--greedy", "--max-tokens", "5", "--json"}, "ri\nba ko\n");
  std::istringstream in(lines.out);
  for (const std::string prompt : {"ri", "ba ko"}) {
    std::string line;
    ASSERT_TRUE(std::getline(in, line));
    const JsonValue json = JsonValue::parse(line);
    std::vector<int32_t> ids = testing::small_vocabulary().encode(prompt);
    ids.insert(ids.begin(), testing::small_vocabulary().start());
    EXPECT_EQ(json["ids"].get<std::vector<int32_t>>(), ids);
    EXPECT_LE(json["continuation"].size(), 5);
    EXPECT_TRUE(json["text"].is_string());
    EXPECT_LT(json["log-probability"].get<double>(), 0);
  }
}

// Whatever the threads, and with the same bytes for the same seed.
TEST_F(GenerateCommandTest, SamplesAreThoseOfTheSeed) {
  const std::string prompts = "ri\nba ko\nko\nri ba\n";
  const auto samples = [&](const char* seed, const char* threads) {
    return generate({"--samples", "2", "--max-tokens", "8", "--top-k", "30", "--top-p", "0.9",
                     "--temperature", "0.8", "--seed", seed, "--threads", threads, "--json"},
                    prompts)
        .out;
  };
  const std::string first = samples("1", "1");
  EXPECT_EQ(std::ranges::count(first, '\n'), 8);
  for (const char* threads : {"1", "2", "4"}) EXPECT_EQ(samples("1", threads), first);
  EXPECT_NE(samples("2", "1"), first);
}

TEST_F(GenerateCommandTest, StopsAtATextAndMayUseIntegers) {
  const JsonValue whole =
      JsonValue::parse(generate({"--greedy", "--max-tokens", "8", "--json", "ba ko"}).out);
  const auto text = whole["text"].get<std::string>();
  ASSERT_GE(text.size(), 4);
  const std::string stop = text.substr(2, 2);
  const JsonValue cut = JsonValue::parse(generate({"--greedy", "--max-tokens", "8", "--json",
                                                   "--stop", "never", "--stop", stop, "ba ko"})
                                             .out);
  EXPECT_EQ(cut["text"], text.substr(0, text.find(stop)));
  EXPECT_EQ(cut["ending"], "stop");
  EXPECT_EQ(generate({"--int8", "--greedy", "ba"}).code, 0);
}

TEST_F(GenerateCommandTest, ShowsATextAsItGrowsOnATerminal) {
  std::ostringstream out, err;
  Console console{out, err, TerminalStyle{.width = 80, .ink = Ink::digits}};
  console.out_is_terminal = true;
  EXPECT_EQ(run_program({"generate", "--model", path("model"), "--greedy", "ba ko"}, console), 0)
      << err.str();
  EXPECT_EQ(out.str(), generate({"--greedy", "ba ko"}).out);
}

TEST_F(GenerateCommandTest, SaysWhatIsWrong) {
  EXPECT_EQ(generate({""}).err,
            "heed: generate: the prompt is empty, but a text to continue was expected\n");
  EXPECT_EQ(generate({""}).code, 1);
  std::string prompt;
  for (int i = 0; i < 30; ++i) prompt += "ba ";
  EXPECT_NE(generate({prompt}).err.find("leaves no room in a context of 24"), std::string::npos);
  EXPECT_EQ(generate({"--greedy", "--top-k", "3", "ba"}).code, 2);
  EXPECT_EQ(generate({"--greedy", "--samples", "3", "ba"}).code, 2);
  EXPECT_EQ(generate({"--stop", "", "ba"}).code, 2);
  EXPECT_EQ(run({"translate", "--model", path("model")}, "ba\n").err,
            "heed: " + path("model") +
                ": is a language model, which does not translate; `heed generate` continues "
                "texts\n");
}

}  // namespace
}  // namespace heed
