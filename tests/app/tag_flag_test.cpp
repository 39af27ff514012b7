#include "heed/app/cli/tag_flag.h"

#include "heed/base/json.h"
#include "program_test.h"
#include "small_model.h"

namespace heed {
namespace {

using testing::Outcome;

// To the vocabulary of the model, a tag is what it would be in the text.
class TagFlag : public testing::ProgramTest {
 protected:
  TagFlag() {
    testing::put_model(path("model"), 5, testing::small_config(), testing::short_lengths,
                       {.tags = {"ba", "zu"}});
    testing::put_model(path("plain"), 5, testing::small_config(), testing::short_lengths);
  }
};

TEST_F(TagFlag, ChoosesHowLinesAreTranslated) {
  const auto translated = [&](const std::string& input, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"translate", "--model", path("model"), "--scores"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome result = run(arguments, input);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const std::string expected = translated("ba ko ri\nba ten\n", {});
  EXPECT_EQ(translated("ko ri\nten\n", {"--tag", "ba"}), expected);
  EXPECT_EQ(translated("ko ri\nten\n", {"--tag", ">>ba<<"}), expected);
  EXPECT_NE(translated("ko ri\nten\n", {"--tag", "zu"}), expected);
  EXPECT_NE(translated("ko ri\nten\n", {}), expected);
  // Also in front of every sentence of a document, and by every model of an ensemble.
  const auto page = [&](const std::string& input, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"translate", "--model", path("model"), "--format",
                                          "html"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, input).out;
  };
  EXPECT_EQ(page("<p>ko ri</p><p>ten</p>", {"--tag", "ba"}),
            page("<p>ba ko ri</p><p>ba ten</p>", {}));
  EXPECT_EQ(translated("ko ri\nten\n", {"--model", path("model"), "--tag", "ba"}),
            translated("ba ko ri\nba ten\n", {"--model", path("model")}));
  EXPECT_EQ(run({"translate", "--model", path("model"), "--model", path("plain")}, "ko\n").err,
            "heed: " + path("plain") + ": its tags differ from those of " + path("model") +
                ", so they cannot form an ensemble\n");
}

TEST_F(TagFlag, ChoosesHowPairsAreScored) {
  write("b", "ko\nba\n");
  const auto scores = [&](const std::string& input, const std::vector<std::string>& more) {
    write("a", input);
    std::vector<std::string> arguments = {"score",   "--model",  path("model"), "--source",
                                          path("a"), "--target", path("b")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments).out;
  };
  EXPECT_EQ(scores("ko ri\nten\n", {"--tag", "ba"}), scores("ba ko ri\nba ten\n", {}));
  EXPECT_NE(scores("ko ri\nten\n", {"--tag", "zu"}), scores("ba ko ri\nba ten\n", {}));
  EXPECT_EQ(run({"score", "--model", path("model"), "--tag", "ba"}).err,
            "heed: --tag: it stands in front of a source, so --source and --target were "
            "expected\n");
}

TEST_F(TagFlag, ShowsAsATokenOfAttention) {
  const auto json = [&](const std::string& line, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"attention", "--model", path("model"), "--source", line,
                                          "--json",    "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return JsonValue::parse(run(arguments).out);
  };
  const JsonValue tagged = json("ko ri", {"--tag", "ba"}), plain = json("ba ko ri", {});
  EXPECT_EQ(tagged["source"]["pieces"], plain["source"]["pieces"]);
  EXPECT_EQ(tagged["source"]["words"][0], -1);
  EXPECT_EQ(tagged["attention"], plain["attention"]);
  // Words of the text are counted without it.
  const auto table = [&](const std::string& input, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"attention", "--model", path("model"), "--heads",
                                          "--ablate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome result = run(arguments, input);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err;
  };
  EXPECT_EQ(table("ko ri\nten\n", {"--tag", "ba"}), table("ba ko ri\nba ten\n", {}));
}

TEST_F(TagFlag, IsOneOfThoseThatAreListed) {
  EXPECT_EQ(JsonValue::parse(run({"inspect", "--json", path("model")}).out)["tags"],
            (std::vector<std::string>{"ba", "zu"}));
  EXPECT_EQ(JsonValue::parse(run({"models", "--json", path("model")}).out)[0]["tags"],
            (std::vector<std::string>{"ba", "zu"}));
  EXPECT_NE(run({"models", path("model")}).out.find("  tags        ba, zu\n"), std::string::npos);
  EXPECT_FALSE(JsonValue::parse(run({"inspect", "--json", path("plain")}).out).contains("tags"));
  const auto refusal = [&](const char* model, const char* tag, int code) {
    const Outcome result = run({"translate", "--model", path(model), "--tag", tag}, "ko\n");
    EXPECT_EQ(result.code, code);
    return result.err;
  };
  EXPECT_EQ(refusal("model", "law", 1),
            "heed: " + path("model") + ": the tag \"law\": the model has ba, zu\n");
  EXPECT_EQ(refusal("plain", "ba", 1),
            "heed: " + path("plain") + ": the tag \"ba\": the model has no tags\n");
  EXPECT_EQ(refusal("model", "of law", 2),
            "heed: --tag: \"of law\" but a word of at most 64 bytes without spaces, control "
            "characters, < and > was expected (see heed translate --help)\n");
}

}  // namespace
}  // namespace heed
