#include "heed/app/cli/score_command.h"

#include "compress.h"
#include "heed/base/json.h"
#include "heed/folders/model_folder.h"
#include "program_test.h"
#include "small_language_model.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::Outcome;
using testing::small_vocabulary;

class ScoreCommandTest : public testing::ProgramTest {
 protected:
  ScoreCommandTest() {
    const int64_t vocabulary = small_vocabulary().size();
    const ModelConfig config = TransformerConfig{.source_vocabulary = vocabulary,
                                                 .target_vocabulary = vocabulary,
                                                 .encoder_layers = 1,
                                                 .decoder_layers = 1,
                                                 .width = 16,
                                                 .ffn = 24,
                                                 .heads = 2};
    Rng rng(5);
    std::filesystem::create_directory(path("model"));
    save_model_description(path("model"), config, small_vocabulary(), small_vocabulary());
    save_weights(path("model"), parameters_of(*make_model(config, rng)));
    write("a", "ba ko\n\nri\n");
    write("b", "ko\nba\n\n");
  }

  Outcome score(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"score",   "--model",  path("model"), "--source",
                                          path("a"), "--target", path("b")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(ScoreCommandTest, WritesALineForEachPair) {
  const Outcome result = score();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 3);
  EXPECT_LT(std::stod(result.out), 0);
  EXPECT_TRUE(result.err.starts_with("3 pairs: perplexity ")) << result.err;
  const Outcome words = score({"--words"});
  EXPECT_EQ(std::ranges::count(words.out, '\t'), 3);
  EXPECT_EQ(std::ranges::count(words.out, ' '), 2) << words.out;  // a word and the end, twice
  EXPECT_TRUE(score({"--json"}).out.starts_with("{\"log-probability\":-")) << score({"--json"}).out;
}

TEST_F(ScoreCommandTest, SaysWhatIsWrong) {
  write("b", "ko\n");
  EXPECT_EQ(score().code, 1);
  EXPECT_EQ(score().err,
            "heed: " + path("a") + " has more lines than " + path("b") + ", which has 1\n");
  write("b", "ko\nba\n\n\n");
  EXPECT_EQ(score().err,
            "heed: " + path("b") + " has more lines than " + path("a") + ", which has 3\n");
  write("a", "");
  write("b", "");
  EXPECT_EQ(score().err, "heed: " + path("a") + ": has no lines\n");
  write("a", "ba\nba ko ba ko ba ko\n");
  write("b", "ba\nba\n");
  EXPECT_TRUE(score({"--max-length", "4"}).err.starts_with("heed: score: pair 2 has "))
      << score({"--max-length", "4"}).err;
  EXPECT_EQ(score({"--max-length", "100"}).code, 0);
  EXPECT_EQ(score({"--max-length", "0"}).code, 2);
  std::filesystem::remove(path("b"));
  EXPECT_EQ(score().err, "heed: " + path("b") + ": cannot be read: No such file or directory\n");
  EXPECT_EQ(run({"score", "--model", path("model"), "--source", path("a")}).code, 2);
}

TEST_F(ScoreCommandTest, ReadsWhatOthersReadAsWell) {
  const Outcome expected = score();
  const auto with = [&](const std::string& source, const std::string& target,
                        const std::string& input) {
    const std::vector<std::string> arguments = {"score", "--model",  path("model"), "--source",
                                                source,  "--target", target};
    const Outcome result = run(arguments, input);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  write("a.gz", testing::gzipped("ba ko\n\nri\n"));
  EXPECT_EQ(with(path("a.gz"), "-", "ko\nba\n\n"), expected.out);
  EXPECT_EQ(with("-", path("b"),
                 testing::zstd_packed("\xEF\xBB\xBF"
                                      "ba ko\n\nri\n")),
            expected.out);
  EXPECT_EQ(score({"--threads", "0"}).out, expected.out);
  EXPECT_EQ(run({"score", "--model", path("model"), "--source", "-", "--target", "-"}).code, 2);
}

TEST_F(ScoreCommandTest, BrokenTextIsSaid) {
  write("b", "ko\n\xFF\n\n");
  EXPECT_TRUE(score().err.starts_with(
      "heed: " + path("b") + ": 1 of 3 lines were not UTF-8; invalid bytes became U+FFFD\n"))
      << score().err;
}

TEST_F(ScoreCommandTest, WhatIsNoTextIsRefusedUnlessForced) {
  write("b", std::string("PK\x03\x04\n\0\n\0\n", 9));
  EXPECT_EQ(score().err, "heed: " + path("b") +
                             ": looks like a ZIP archive or an office document, but text in UTF-8 "
                             "was expected; --force reads it anyway\n");
  EXPECT_EQ(score({"--force"}).code, 0);
}

TEST_F(ScoreCommandTest, ScoresTheTokensOfTexts) {
  testing::put_language_model(path("language"));
  const std::string texts = "ba ko\n\nri\n";
  const Outcome lines = run({"score", "--model", path("language"), "--words", "--json"}, texts);
  EXPECT_EQ(lines.code, 0) << lines.err;
  EXPECT_EQ(std::ranges::count(lines.out, '\n'), 3);
  const JsonValue first = JsonValue::parse(lines.out.substr(0, lines.out.find('\n')));
  const std::vector<int32_t> ids = small_vocabulary().encode("ba ko");
  EXPECT_EQ(first["tokens"], ids.size());
  ASSERT_EQ(first["ids"].size(), ids.size() + 1);
  EXPECT_EQ(first["ids"][0], small_vocabulary().start());
  EXPECT_EQ(first["ids"][1], ids[0]);
  double sum = 0;
  for (const JsonValue& token : first["log-probabilities"]) sum += token.get<double>();
  EXPECT_NEAR(sum, first["log-probability"].get<double>(), 1e-9);
  EXPECT_TRUE(lines.err.starts_with("3 texts: perplexity ")) << lines.err;
  for (const char* threads : {"1", "2", "4"})
    EXPECT_EQ(run({"score", "--model", path("language"), "--words", "--json", "--threads", threads},
                  texts)
                  .out,
              lines.out);
}

TEST_F(ScoreCommandTest, AsksForWhatTheModelReads) {
  testing::put_language_model(path("language"));
  EXPECT_EQ(
      run({"score", "--model", path("language"), "--source", path("a"), "--target", path("b")}).err,
      "heed: " + path("language") +
          ": is a language model, so --text was expected instead of --source and "
          "--target\n");
  EXPECT_EQ(run({"score", "--model", path("model")}, "ba\n").err,
            "heed: " + path("model") +
                ": is not a language model, so --source and --target were expected\n");
  EXPECT_EQ(run({"score", "--model", path("model"), "--source", path("a")}).err,
            "heed: --target is required (see heed score --help)\n");
  EXPECT_EQ(run({"score", "--model", path("language")}, "").err,
            "heed: standard input: has no text\n");
}

}  // namespace
}  // namespace heed
