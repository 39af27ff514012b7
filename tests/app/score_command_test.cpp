#include "heed/app/cli/score_command.h"

#include "compress.h"
#include "heed/folders/model_folder.h"
#include "program_test.h"
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
  EXPECT_EQ(run({"score", "--model", path("model")}).code, 2);
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

}  // namespace
}  // namespace heed
