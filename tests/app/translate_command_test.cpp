#include "heed/app/cli/translate_command.h"

#include <algorithm>

#include "compress.h"
#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"
#include "program_test.h"
#include "small_model.h"

namespace heed {
namespace {

using testing::made_up_sentences;
using testing::Outcome;
using testing::small_vocabulary;

class TranslateCommandTest : public testing::ProgramTest {
 protected:
  TranslateCommandTest() {
    testing::put_model(path("model"), 5, testing::small_config(32), testing::short_lengths);
  }

  Outcome translate(const std::string& input, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"translate", "--model", path("model")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, input);
  }

  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
};

int64_t lines_in(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST_F(TranslateCommandTest, GivesWhatTheTranslatorGives) {
  const std::vector<std::string> lines = made_up_sentences(100);
  std::string input, expected;
  const ModelFolder folder = load_model_folder(path("model"));
  const Translator translator(folder.model->prepare(Precision::float32), folder.source,
                              folder.target, {.lengths = folder.lengths});
  for (const std::string& line : lines) input += line + "\n";
  for (const std::string& line : translator.translate(lines, {.beam = 2})) expected += line + "\n";
  for (const char* threads : {"0", "1", "2", "3"}) {
    const Outcome result = translate(input, {"--beam", "2", "--threads", threads});
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.out, expected) << threads << " threads";
  }
  EXPECT_NE(translate(input, {"--beam", "1"}).out, expected);
}

TEST_F(TranslateCommandTest, AsManyLinesOutAsIn) {
  EXPECT_EQ(translate("").out, "");
  EXPECT_EQ(translate("\n\n\n").out, "\n\n\n");
  const Outcome mixed = translate("ba\n\n \nko\r\nri", {"--beam", "1"});
  EXPECT_EQ(lines_in(mixed.out), 5);
  EXPECT_EQ(mixed.out.find("\n\n\n"), mixed.out.find('\n'));
  EXPECT_EQ(lines_in(translate(std::string(100000, '\n')).out), 100000);
  // Characters that the vocabulary has not seen, a NUL, and a line of many words.
  std::string odd = std::string("\0日本\n", 8) + "😀😀\n";
  for (int i = 0; i < 3000; ++i) odd += "ba ";
  EXPECT_EQ(lines_in(translate(odd, {"--beam", "1"}).out), 3);
}

TEST_F(TranslateCommandTest, TermsOfAGlossaryAppear) {
  write("terms", "ba\tkoriba|baba\nko\t東京\n");
  const Outcome found = translate("ba ri\n\nko\nri\n", {"--glossary", path("terms")});
  EXPECT_EQ(found.code, 0);
  EXPECT_EQ(lines_in(found.out), 4);
  const std::string first = " " + found.out.substr(0, found.out.find('\n')) + " ";
  EXPECT_TRUE(first.find(" koriba ") != first.npos || first.find(" baba ") != first.npos) << first;
  EXPECT_NE(found.err.find("heed: 1 of 4 translations lack a term of the glossary"),
            std::string::npos)
      << found.err;
  EXPECT_NE(translate("ba ri\n").out.substr(0, first.size() - 2),
            first.substr(1, first.size() - 2));
}

TEST_F(TranslateCommandTest, SaysWhatIsWrongWithAGlossary) {
  write("terms", "ba ko\n");
  const Outcome bad = translate("ba\n", {"--glossary", path("terms")});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.out, "");
  EXPECT_NE(bad.err.find("terms: line 1: a term, a tab and its translation were expected"),
            std::string::npos)
      << bad.err;
  EXPECT_EQ(translate("ba\n", {"--glossary", path("terms"), "--sample"}).code, 2);
  EXPECT_EQ(translate("ba\n", {"--glossary", path("none")}).code, 1);
}

TEST_F(TranslateCommandTest, ReadsAndWritesFiles) {
  std::string input;
  for (const std::string& line : made_up_sentences(10)) input += line + "\n";
  const std::string expected = translate(input).out;
  write("in", input);
  EXPECT_EQ(translate("", {"--input", path("in")}).out, expected);
  EXPECT_EQ(translate(input, {"--output", path("out")}).out, "");
  EXPECT_EQ(read("out"), expected);
  // A file may be replaced by its translation.
  EXPECT_EQ(translate("", {"--input", path("in"), "--output", path("in")}).code, 0);
  EXPECT_EQ(read("in"), expected);
}

TEST_F(TranslateCommandTest, ReadsWhatOthersReadAsWell) {
  const std::string text = "ba ko\n\nri\n", expected = translate(text).out;
  EXPECT_EQ(translate(testing::gzipped(text)).out, expected);
  EXPECT_EQ(translate(testing::zstd_packed(text)).out, expected);
  EXPECT_EQ(translate("\xEF\xBB\xBF" + text).out, expected);
  std::string wide = "\xFF\xFE";
  for (const char letter : text) wide.append(1, letter).append(1, '\0');
  EXPECT_EQ(translate(wide).out, expected);
  write("in.gz", testing::gzipped(text));
  EXPECT_EQ(translate("", {"--input", path("in.gz")}).out, expected);
  EXPECT_EQ(translate(text, {"--input", "-", "--output", "-"}).out, expected);
  write("prefix.zst", testing::zstd_packed("ko\n\nko\n"));
  const Outcome begun = translate(text, {"--prefix", path("prefix.zst")});
  EXPECT_TRUE(begun.out.starts_with("ko")) << begun.err;
  EXPECT_EQ(translate("ko\n\nko\n", {"--input", path("in.gz"), "--prefix", "-"}).out, begun.out);
  EXPECT_EQ(translate(text, {"--prefix", "-"}).code, 2);
  EXPECT_EQ(translate("", {"--input", "-", "--prefix", "-"}).err,
            "heed: --prefix: standard input can be read only once, and it is for --input "
            "(see heed translate --help)\n");
}

TEST_F(TranslateCommandTest, WhatIsNoTextIsRefusedUnlessForced) {
  const std::string picture("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16);
  const Outcome refused = translate(picture);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err,
            "heed: standard input: looks like a PNG picture, but text in UTF-8 was expected; "
            "--force reads it anyway\n");
  EXPECT_EQ(lines_in(translate(picture, {"--force", "--beam", "1"}).out), 3);
}

TEST_F(TranslateCommandTest, ALineThatIsTooLongIsNamed) {
  const Outcome result = translate("\n" + std::string(17 << 20, 'x'));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "heed: standard input: line 2: is longer than 16 MiB\n");
}

TEST_F(TranslateCommandTest, LeavesFilesAloneWhenItFails) {
  write("out", "old");
  const Outcome missing = translate("", {"--input", path("missing"), "--output", path("out")});
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.err,
            "heed: " + path("missing") + ": cannot be read: No such file or directory\n");
  EXPECT_EQ(read("out"), "old");
  std::filesystem::remove(path("model") + "/config.json");
  EXPECT_EQ(translate("ba\n", {"--output", path("out")}).code, 1);
  EXPECT_EQ(read("out"), "old");
  EXPECT_EQ(translate("ba\n", {"--output", path("nowhere/out")}).code, 1);
}

TEST_F(TranslateCommandTest, WritesScoresSeveralTranslationsAndAlignments) {
  const std::string input = made_up_sentences(1)[0] + "\n\n";
  const std::string plain = translate(input, {"--beam", "3"}).out;
  const std::string text = plain.substr(0, plain.find('\n'));
  const Outcome scored = translate(input, {"--beam", "3", "--scores"});
  EXPECT_EQ(scored.out.find('\t' + text + "\n0\t\n"), scored.out.find('\t')) << scored.out;
  EXPECT_LT(std::stod(scored.out), 0);
  const Outcome several = translate(input, {"--beam", "3", "--nbest", "3"});
  EXPECT_EQ(lines_in(several.out), 4) << several.out;
  EXPECT_TRUE(several.out.starts_with("0 ||| " + text + " ||| -")) << several.out;
  EXPECT_TRUE(several.out.ends_with("\n1 |||  ||| 0\n")) << several.out;
  const Outcome aligned = translate(input, {"--beam", "3", "--alignment", "pharaoh"});
  EXPECT_TRUE(aligned.out.starts_with(text + " ||| ")) << aligned.out;
  EXPECT_TRUE(aligned.out.ends_with("-0\n ||| \n") || aligned.out.find("-0 ") != std::string::npos)
      << aligned.out;
  const Outcome json = translate(input, {"--beam", "3", "--json"});
  EXPECT_TRUE(json.out.starts_with("{\"source\":")) << json.out;
  EXPECT_EQ(lines_in(json.out), 2);
}

TEST_F(TranslateCommandTest, ABeamThatNobodyAskedForIsAsWideAsTheNBest) {
  const Outcome result = translate("ba\n", {"--nbest", "7"});
  EXPECT_EQ(lines_in(result.out), 7) << result.err;
  EXPECT_EQ(result.out, translate("ba\n", {"--nbest", "7", "--beam", "7"}).out);
}

// A model stored as int8 is always computed as int8.
TEST_F(TranslateCommandTest, SmallerModelsTranslateAsWell) {
  std::string input;
  for (const std::string& line : made_up_sentences(50)) input += line + "\n";
  const auto translated = [&](const char* model, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"translate", "--model", path(model), "--beam", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome result = run(arguments, input);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  for (const char* storage : {"float16", "int8"}) {
    const Outcome converted =
        run({"convert", path("model"), path(storage), fmt::format("--{}", storage)});
    EXPECT_EQ(converted.code, 0) << converted.err;
    EXPECT_EQ(lines_in(translated(storage)), 50);
  }
  EXPECT_TRUE(translated("int8") == translated("int8", {"--int8"}));
  EXPECT_FALSE(translated("model") == translated("model", {"--int8"}));
  EXPECT_EQ(run({"convert", path("model"), path("both"), "--float16", "--int8"}).code, 2);
}

TEST_F(TranslateCommandTest, SamplesDependOnTheSeed) {
  const std::string input = made_up_sentences(1)[0] + "\n";
  const std::vector<std::string> sample = {"--sample", "--top-k",       "20", "--top-p",
                                           "0.9",      "--temperature", "1.5"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), sample.begin(), sample.end());
    const Outcome result = translate(input, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  EXPECT_TRUE(with({}) == with({"--threads", "3"}));
  EXPECT_FALSE(with({}) == with({"--seed", "2"}));
  EXPECT_EQ(lines_in(with({"--nbest", "12"})), 12);
}

TEST_F(TranslateCommandTest, KeepsTheRules) {
  write("prefix", "ko ba\r\n\n");
  const Outcome begun = translate("ri\nba\n", {"--prefix", path("prefix"), "--max-length", "8"});
  EXPECT_TRUE(begun.out.starts_with("ko ba")) << begun.out << begun.err;
  EXPECT_EQ(translate("ri\n", {"--prefix", path("prefix")}).err,
            "heed: " + path("prefix") + ": more lines than the input\n");
  EXPECT_EQ(translate("ri\nri\nri\n", {"--prefix", path("prefix")}).err,
            "heed: " + path("prefix") + ": fewer lines than the input\n");
  EXPECT_EQ(translate("ri\n", {"--prefix", path("nothing")}).err,
            "heed: " + path("nothing") + ": cannot be read: No such file or directory\n");
  EXPECT_EQ(translate("ri\n", {"--prefix", folder_.string()}).err,
            "heed: " + folder_.string() + ": is a folder, but a file was expected\n");
  const std::string plain = translate("ri ba\n").out;
  EXPECT_FALSE(plain == translate("ri ba\n", {"--no-repeat-ngram", "1"}).out);
  EXPECT_FALSE(plain == translate("ri ba\n", {"--repetition-penalty", "3"}).out);
  EXPECT_LT(translate("ri ba\n", {"--max-length", "3"}).out.size(), plain.size());
  EXPECT_EQ(translate("ri ba\n",
                      {"--alignment", "pharaoh", "--attention-layer", "1", "--attention-head", "2"})
                .code,
            0);
  EXPECT_EQ(translate("ri ba\n", {"--alignment", "pharaoh", "--attention-layer", "2"}).code, 1);
}

TEST_F(TranslateCommandTest, SaysHowManyTranslationsWereCut) {
  const auto words = [&](const std::vector<std::string>& more) {
    std::vector<std::string> flags = {"--beam", "1", "--min-length", "100"};
    flags.insert(flags.end(), more.begin(), more.end());
    return translate("ri ba\n\nko\n", flags);
  };
  EXPECT_EQ(
      words({"--max-length", "100"}).err,
      "heed: 2 of 3 translations reached the maximum length and were cut (see --max-length)\n");
  EXPECT_EQ(words({"--max-length", "1000", "--no-repeat-ngram", "1"}).err, "");
  EXPECT_NE(words({"--max-length", "100", "--json"}).out.find("\"cut\":true"), std::string::npos);
}

// Regardless of the trained lengths.
TEST_F(TranslateCommandTest, TheFlagsDecideHowLongATranslationIs) {
  const auto tokens = [&](const std::vector<std::string>& more) {
    std::vector<std::string> flags = {"--beam", "1", "--no-repeat-ngram", "1"};
    flags.insert(flags.end(), more.begin(), more.end());
    const Outcome result = translate("ri ba\n", flags);
    return small_vocabulary().encode(result.out).size();
  };
  const size_t all = tokens({"--max-length", "1000"});
  EXPECT_GT(all, 50u);
  EXPECT_LE(tokens({}), 40u);  // re-encoded, the text may have a token or two more
  EXPECT_EQ(tokens({"--max-ratio", "1000"}), all);
  EXPECT_LE(tokens({"--max-length", "5"}), 7u);
  EXPECT_LE(tokens({"--max-length", "1000", "--max-ratio", "1"}), 10u);
}

TEST_F(TranslateCommandTest, SaysHowManyLinesWereTranslatedInParts) {
  const std::string line = "ba ko ri ba ko ri\n";
  EXPECT_EQ(translate(line + "ba\n",
                      {"--max-source", "4", "--max-length", "1000", "--no-repeat-ngram", "1"})
                .err,
            "heed: 1 of 2 lines were too long for the model and were translated in parts (see "
            "--max-source)\n");
  EXPECT_EQ(
      translate(line, {"--max-source", "100", "--max-length", "1000", "--no-repeat-ngram", "1"})
          .err,
      "");
}

TEST_F(TranslateCommandTest, SaysWhatAPrefixLoses) {
  write("prefix", "ko\nZko Ba\n");
  const std::vector<std::string> flags = {"--prefix", path("prefix"),      "--max-length",
                                          "1000",     "--no-repeat-ngram", "1"};
  const std::string warning =
      "heed: " + path("prefix") +
      ": line 2: the model's vocabulary lacks \"Z\", \"B\", so a translation "
      "cannot begin with it";
  const Outcome warned = translate("ri\nri\n", flags);
  EXPECT_EQ(warned.code, 0);
  EXPECT_EQ(warned.err, warning + "; it is left out\n");
  std::vector<std::string> strict = flags;
  strict.push_back("--strict");
  const Outcome refused = translate("ri\nri\n", strict);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err, warning + "\n");
}

TEST_F(TranslateCommandTest, CountsPrefixesThatAreNotUtf8) {
  write("prefix", "ko\nko \xff\n");
  EXPECT_NE(translate("ri\nri\n", {"--prefix", path("prefix")})
                .err.find("heed: " + path("prefix") +
                          ": 1 of 2 lines were not UTF-8; what was not became U+FFFD\n"),
            std::string::npos);
}

TEST_F(TranslateCommandTest, APrefixThatReachesTheLimitIsAllThereIs) {
  write("prefix", "ko ba\n");
  const Outcome result = translate("ri\n", {"--prefix", path("prefix"), "--max-length", "1"});
  EXPECT_EQ(result.out, "ko ba\n");
}

TEST_F(TranslateCommandTest, SeveralModelsTranslateTogether) {
  const std::string input = made_up_sentences(1)[0] + "\n", alone = translate(input).out;
  EXPECT_TRUE(translate(input, {"--model", path("model")}).out == alone);  // the same twice
  std::filesystem::copy(path("model"), path("other"));
  std::filesystem::copy_file(path("other/source.spm"), path("other/target.spm"),
                             std::filesystem::copy_options::overwrite_existing);
  const ModelConfig config = load_model_config(path("model/config.json"));
  Rng rng(6);
  save_weights(path("other"), parameters_of(*make_model(config, rng)));
  const Outcome both = translate(input, {"--model", path("other")});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_FALSE(both.out == alone);
  EXPECT_EQ(translate(input, {"--model", path("missing")}).code, 1);
}

TEST_F(TranslateCommandTest, ProgressIsGoneBeforeAnythingElseIsSaid) {
  std::ostringstream out, err;
  Console console{out, err, TerminalStyle{}, [] { return input_of("ba\n\xFF\n"); }};
  console.err_is_terminal = true;
  EXPECT_EQ(run_program({"translate", "--model", path("model"), "--beam", "1"}, console), 0);
  const size_t message = err.str().find("heed: 1 of 2");
  ASSERT_NE(message, std::string::npos);
  EXPECT_TRUE(err.str().substr(0, message).ends_with("\r\033[K"));
}

TEST_F(TranslateCommandTest, BrokenTextIsSaid) {
  const Outcome result =
      translate("ba\n\xFF\n", {"--beam", "1", "--max-length", "1000", "--no-repeat-ngram", "1"});
  EXPECT_EQ(lines_in(result.out), 2);
  EXPECT_EQ(result.err, "heed: 1 of 2 lines were not UTF-8; invalid bytes became U+FFFD\n");
}

TEST_F(TranslateCommandTest, ABrokenModelExitsWith1) {
  std::filesystem::remove(path("model/source.spm"));
  const Outcome result = translate("ba\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "heed: " + path("model/source.spm") + ": cannot be read: No such file or directory\n");
}

TEST_F(TranslateCommandTest, WrongUsageExitsWith2) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--beam", "0"},
                                               {"--beam", "-1"},
                                               {"--beam", "x"},
                                               {"--threads", "-1"},
                                               {"--max-length", "0"},
                                               {"--max-ratio", "0"},
                                               {"--max-ratio", "nan"},
                                               {"--max-source", "0"},
                                               {"--strict"},
                                               {"--sample", "--beam", "3"},
                                               {"--sample", "--top-p", "nan"},
                                               {"--length-penalty", "-1"},
                                               {"--fast"},
                                               {"--nbest", "0"},
                                               {"--beam", "2", "--nbest", "3"},
                                               {"--alignment", "hard"},
                                               {"--top-k", "5"},
                                               {"--sample", "--top-p", "0"},
                                               {"--sample", "--temperature", "-1"},
                                               {"--min-length", "5", "--max-length", "4"},
                                               {"--no-repeat-ngram", "-1"},
                                               {"--attention-head", "1"},
                                               {"file"}}) {
    const Outcome result = translate("ba\n", more);
    EXPECT_EQ(result.code, 2) << more[0];
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(run({"translate"}, "ba\n").code, 2);
}

}  // namespace
}  // namespace heed
