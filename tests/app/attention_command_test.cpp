#include "heed/app/cli/attention_command.h"

#include <nlohmann/json.hpp>

#include "heed/weights/tensor_file.h"
#include "program_test.h"
#include "small_bert.h"
#include "small_language_model.h"
#include "small_model.h"

namespace heed {
namespace {

using Json = nlohmann::json;
using testing::Outcome;

class AttentionCommandTest : public testing::ProgramTest {
 protected:
  AttentionCommandTest() { testing::put_model(path("model")); }

  Outcome look(const std::vector<std::string>& more, const std::string& input = "") const {
    std::vector<std::string> arguments = {"attention", "--model", path("model")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, input);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

Json data_of(const std::string& html) {
  const std::string begin = "id=\"data\">";
  const size_t from = html.find(begin) + begin.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST_F(AttentionCommandTest, DrawsAHeadInTheTerminal) {
  const Outcome result = look({"--source", "ba ko ri", "--target", "ko ba"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("Source: ba ko ri\nTarget: ko ba\nLog-probability: -"))
      << result.out;
  EXPECT_NE(result.out.find("\nCross-attention, layer 1, head "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" Source\nTarget ba   ko   ri   </s>\n    ko "), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("\nWeight: . is 0, 9 is "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\nWorth a look: "), std::string::npos) << result.out;
  EXPECT_EQ(result.err, "");
}

TEST_F(AttentionCommandTest, DrawsTheHeadThatIsAskedFor) {
  const Outcome encoder =
      look({"--source", "ba ko", "--part", "encoder", "--layer", "1", "--head", "2"});
  EXPECT_NE(encoder.out.find("Encoder self-attention, layer 1, head 2: "), std::string::npos);
  EXPECT_NE(encoder.out.find("Source ba   ko   </s>"), std::string::npos) << encoder.out;
  const Outcome decoder =
      look({"--source", "ba ko", "--target", "ri", "--part", "decoder", "--head", "1"});
  EXPECT_NE(decoder.out.find("Target read so far\nTarget <pad> ri"), std::string::npos)
      << decoder.out;
}

TEST_F(AttentionCommandTest, PiecesAreShownIfAskedFor) {
  const std::vector<std::string> arguments = {"--source", "zzz", "--target", "ba"};
  std::vector<std::string> with = arguments;
  with.emplace_back("--pieces");
  EXPECT_EQ(look(arguments).out.find("\xE2\x96\x81"), std::string::npos);
  EXPECT_NE(look(with).out.find("\xE2\x96\x81"), std::string::npos);
}

TEST_F(AttentionCommandTest, NoEscapeSequenceReachesTheTerminal) {
  const Outcome result =
      look({"--source", "ba \x1b[31m\xE2\x80\xAE ko", "--target", "\x1b]0;x\x07"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(result.out.find('\x07'), std::string::npos);
  EXPECT_EQ(result.out.find("\xE2\x80\xAE"), std::string::npos);
}

TEST_F(AttentionCommandTest, JsonHasALinePerLine) {
  const Outcome result = look({"--json", "-"}, "ba ko\nri\nba\n");
  EXPECT_EQ(result.code, 0) << result.err;
  std::istringstream lines(result.out);
  std::vector<std::string> sources;
  for (std::string line; std::getline(lines, line);) {
    const Json object = Json::parse(line);
    sources.push_back(object["source"]["text"]);
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    EXPECT_EQ(keys, (std::vector<std::string>{"attention", "heads", "log-probability", "score",
                                              "shown", "source", "target"}));
    const size_t targets = object["target"]["pieces"].size();
    EXPECT_EQ(object["target"]["pieces"].back(), "</s>");
    EXPECT_EQ(object["attention"]["cross"][0][1].size(), targets);
    EXPECT_EQ(object["attention"]["decoder"][0][1][0].size(), targets);
    EXPECT_EQ(object["attention"]["encoder"][0][1].size(), object["source"]["pieces"].size());
  }
  EXPECT_EQ(sources, (std::vector<std::string>{"ba ko", "ri", "ba"}));
  // The same line alone gives the same bytes, and so does a file.
  EXPECT_TRUE(result.out.ends_with(look({"--source", "ba", "--json", "-"}).out));
  EXPECT_EQ(look({"--json"}, "ba ko\nri\nba\n").out, result.out);
  EXPECT_EQ(look({"--json", path("out.jsonl")}, "ba ko\nri\nba\n").out, "");
  EXPECT_EQ(read("out.jsonl"), result.out);
}

TEST_F(AttentionCommandTest, TheTranslationIsTheOneThatIsFound) {
  const Outcome translated = run({"translate", "--model", path("model"), "--beam", "2"}, "ba ko\n");
  const Json object = Json::parse(look({"--source", "ba ko", "--beam", "2", "--json", "-"}).out);
  EXPECT_EQ(object["target"]["text"].get<std::string>() + "\n", translated.out);
}

TEST_F(AttentionCommandTest, SearchesAsTranslateDoesForModelsWithASearchOfTheirOwn) {
  testing::put_model(path("greedy"), 5, testing::small_config(), testing::short_lengths,
                     {.search = {.beam = 1, .length_penalty = 0}});
  const auto with = [&](const char* command, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {command, "--model", path("greedy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, "ba ko\nri ba ko\nzzz\n").out;
  };
  const std::string translated = with("translate", {});
  ASSERT_NE(translated, with("translate", {"--beam", "5", "--length-penalty", "1"}));
  std::istringstream objects(with("attention", {"--json"}));
  std::string found;
  for (std::string line; std::getline(objects, line);)
    found += Json::parse(line)["target"]["text"].get<std::string>() + "\n";
  EXPECT_EQ(found, translated);
  write("found", translated);
  EXPECT_EQ(with("attention", {"--heads"}),
            with("attention", {"--heads", "--target-file", path("found")}));
}

TEST_F(AttentionCommandTest, ALongLineOfAPageIsNamedByItsNumber) {
  std::string line = "ba";
  for (int word = 1; word < 900; ++word) line += " ba";
  const std::string lines = "\n" + line + "\n";
  write("target", lines);
  const Outcome page = look({"--html", path("page.html"), "--target-file", path("target")}, lines);
  EXPECT_EQ(page.code, 0);
  EXPECT_NE(page.err.find("heed: line 2 is long, so the page has its weights only\n"),
            std::string::npos)
      << page.err;
}

TEST_F(AttentionCommandTest, EmptyLinesAreObjectsOfJsonAndLeftOutElsewhere) {
  const std::string input = "ba\n\nko\n";
  const Outcome lines = look({"--json"}, input);
  EXPECT_EQ(std::ranges::count(lines.out, '\n'), 3) << lines.err;
  EXPECT_EQ(lines.err, "");
  std::istringstream text(lines.out);
  std::string line;
  std::getline(text, line);
  std::getline(text, line);
  EXPECT_EQ(Json::parse(line)["target"]["pieces"], std::vector<std::string>{"</s>"});
  const Outcome page = look({"--html", path("page.html")}, input);
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_EQ(page.err, "heed: 1 empty line was left out\n");
  EXPECT_EQ(data_of(read("page.html"))["sentences"].size(), 10);
}

TEST_F(AttentionCommandTest, TranslationsOfManyLinesComeFromAFile) {
  write("target", "ri\nba ba\n");
  const Outcome both = look({"--target-file", path("target"), "--json"}, "ba\nko\n");
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(both.out.ends_with(look({"--target", "ba ba", "--json"}, "ko\n").out));
  EXPECT_EQ(look({"--target-file", path("target"), "--json"}, "ba\n").err,
            "heed: " + path("target") + " has more lines than the source, which has 1\n");
  EXPECT_EQ(look({"--target-file", path("target"), "--json"}, "ba\nba\nba\n").err,
            "heed: " + path("target") + " has 2 lines, but the source has more\n");
  EXPECT_EQ(look({"--target-file", path("target"), "--source", "ba"}).code, 2);
}

TEST_F(AttentionCommandTest, TheHeadThatIsAskedForIsShownEverywhere) {
  const std::vector<std::string> head = {"--source", "zzz", "--target", "ba", "--part",  "encoder",
                                         "--layer",  "1",   "--head",   "2",  "--pieces"};
  std::vector<std::string> arguments = head;
  arguments.insert(arguments.end(), {"--json", "--html", path("page.html")});
  const Outcome result = look(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["shown"],
            Json({{"part", "encoder"}, {"layer", 1}, {"head", 2}}));
  EXPECT_EQ(data_of(read("page.html"))["first"],
            Json({{"part", "encoder"}, {"layer", 0}, {"head", 1}, {"unit", "pieces"}}));
}

TEST_F(AttentionCommandTest, OverTimeNeedsARunThatWatched) {
  const Outcome none = look({"--over-time"});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err, "heed: " + path("model") +
                          ": no sentence was watched in training; heed train --watch keeps the "
                          "attention of one\n");
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--heads", "--target-file", "x"},
                                             {"--target", "ba"},
                                             {"--beam", "2"},
                                             {"--without", "cross:1:1"},
                                             {"--force"}}) {
    std::vector<std::string> all = {"--over-time"};
    all.insert(all.end(), flags.begin(), flags.end());
    EXPECT_EQ(look(all).code, 2) << flags.front();
  }
}

TEST_F(AttentionCommandTest, HeadsCanBeSwitchedOff) {
  const auto score = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--source", "ba ko", "--target", "ri", "--json", "-"});
    const Outcome result = look(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out)["score"].get<double>();
  };
  EXPECT_NE(score({}), score({"--without", "cross:1:2"}));
  EXPECT_NE(score({"--without", "cross:1:2"}),
            score({"--without", "cross:1:2", "--without", "encoder:1:1"}));
}

TEST_F(AttentionCommandTest, ThePageHasTheSentencesTheirAlternativesAndTheTable) {
  const Outcome result =
      look({"--html", path("page.html"), "--without", "cross:1:1"}, "ba ko\nri ba\n");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const Json data = data_of(read("page.html"));
  EXPECT_EQ(data["title"], "model");
  EXPECT_EQ(data["off"].size(), 1);
  EXPECT_EQ(data["heads"]["rows"].size(), 6);
  ASSERT_EQ(data["sentences"].size(), 10);
  EXPECT_EQ(data["sentences"][5]["name"], "ri ba");
  EXPECT_EQ(data["sentences"][5]["alternatives"].size(), 4);
  EXPECT_EQ(data["sentences"][9]["of"], 5);
  EXPECT_TRUE(data["sentences"][5]["parts"]["cross"].contains("gradients"));
  EXPECT_EQ(data["first"]["part"], "cross");
}

TEST_F(AttentionCommandTest, SaysWhatIsWrong) {
  const auto error = [&](const std::vector<std::string>& more, const std::string& input = "") {
    const Outcome result = look(more, input);
    EXPECT_NE(result.code, 0);
    return result.err;
  };
  EXPECT_EQ(error({"--source", "ba", "--layer", "2"}),
            "heed: attention: layer 2 of the cross part, but it has 1\n");
  EXPECT_EQ(error({"--source", "ba", "--head", "3", "--json", "-"}),
            "heed: attention: head 3 of a layer, but each has 2\n");
  EXPECT_NE(error({"--source", "ba", "--without", "cross:1:9"}).find("cross:1:9"),
            std::string::npos);
  EXPECT_EQ(look({"--source", "ba", "--without", "nonsense"}).code, 2);
  EXPECT_EQ(look({"--source", "ba", "--part", "middle"}).code, 2);
  EXPECT_EQ(look({"--source", "ba", "--model", path("model")}).err,
            "heed: --model: 2 models were given, but only the attention of one can be shown (see "
            "heed attention --help)\n");
  EXPECT_EQ(error({"--target", "ba"}, "ba\nko\n"),
            "heed: --target is the translation of one line, but standard input has several\n");
  EXPECT_EQ(error({"--source", " \n"}),
            "heed: --source is empty, so there is nothing to look at\n");
  EXPECT_EQ(error({"--html", path("page")}, "\n \n"),
            "heed: standard input: has only empty lines, so there is nothing to look at\n");
  EXPECT_EQ(error({}, ""), "heed: standard input: has no lines\n");
  EXPECT_EQ(look({"--source", "ba", "--html", "-", "--json", "-"}).code, 2);
  EXPECT_EQ(run({"attention", "--source", "ba"}).code, 2);
  std::string line = "ba";
  for (int i = 0; i < 1100; ++i) line += " ba";
  EXPECT_TRUE(error({"--source", line}).starts_with("heed: attention: line 1 has "));
  const Outcome missing = run({"attention", "--model", path("none"), "--source", "ba"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find(path("none")), std::string::npos) << missing.err;
}

TEST_F(AttentionCommandTest, APictureHasAllHeadsOrTheOneThatIsAskedFor) {
  const Outcome all = look({"--source", "ba ko", "--target", "ri", "--svg", path("a.svg")});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out, "");
  const std::string grid = read("a.svg");
  EXPECT_NE(grid.find(">Head 2<"), std::string::npos);
  EXPECT_NE(grid.find(">Target<"), std::string::npos);
  EXPECT_NE(grid.find(">Source<"), std::string::npos);
  EXPECT_EQ(look({"--source", "\x1b[1m</svg>", "--target", "ri", "--layer", "1", "--head", "2",
                  "--svg", path("b.svg")})
                .code,
            0);
  const std::string one = read("b.svg");
  EXPECT_EQ(one.find(">Head 2<"), std::string::npos);
  EXPECT_NE(one.find("Cross-attention, layer 1, head 2"), std::string::npos);
  EXPECT_EQ(one.find('\x1b'), std::string::npos);
  EXPECT_EQ(one.find("</svg>"), one.size() - 7);
  EXPECT_EQ(look({"--svg", "-"}, "ba\nko\n").err,
            "heed: --svg draws one line, but standard input has several\n");
}

TEST_F(AttentionCommandTest, ATableSaysWhatEachHeadDoes) {
  write("target", "ko ba\nri\n");
  write("gold", "0-1 1p0\n0-0\n");
  const std::vector<std::string> arguments = {"--heads", "--target-file", path("target")};
  const Outcome plain = look(arguments, "ba ko\nri\n");
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(std::ranges::count(plain.out, '\n'), 7);
  EXPECT_NE(plain.out.find("\ncross:1:2 "), std::string::npos);
  EXPECT_EQ(plain.out.find("AER"), std::string::npos);
  EXPECT_TRUE(plain.err.starts_with("2 pairs: cross-entropy ")) << plain.err;
  std::vector<std::string> more = arguments;
  more.insert(more.end(), {"--alignment", path("gold"), "--ablate", "--json", "-"});
  const Outcome full = look(more, "ba ko\nri\n");
  EXPECT_EQ(full.code, 0) << full.err;
  const Json table = Json::parse(full.out);
  ASSERT_EQ(table["heads"].size(), 6);
  EXPECT_FALSE(table["heads"][0]["figures"].contains("aer"));
  EXPECT_TRUE(table["heads"][5]["figures"].contains("aer"));
  EXPECT_NE(table["heads"][5]["figures"]["ablation"], 0.0);
  EXPECT_EQ(table["layers"].size(), 1);
  // What is said without a head is what the model says without it.
  std::vector<std::string> without = arguments;
  without.insert(without.end(), {"--without", "cross:1:2", "--json", "-"});
  EXPECT_NEAR(
      Json::parse(look(without, "ba ko\nri\n").out)["cross-entropy"].get<double>(),
      table["cross-entropy"].get<double>() + table["heads"][5]["figures"]["ablation"].get<double>(),
      1e-5);
}

TEST_F(AttentionCommandTest, ATableIsOfTheModelsOwnTranslationsIfThereAreNoOthers) {
  const std::string input = "ba ko\nri\n";
  write("found", run({"translate", "--model", path("model"), "--beam", "2"}, input).out);
  const Outcome own = look({"--heads", "--beam", "2"}, input);
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_EQ(own.out, look({"--heads", "--target-file", path("found")}, input).out);
}

TEST_F(AttentionCommandTest, ATableCanBeAPicture) {
  const Outcome result = look({"--heads", "--svg", path("a.svg")}, "ba ko\nri\n");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const std::string picture = read("a.svg");
  EXPECT_NE(picture.find(">cross:1:2<"), std::string::npos);
  EXPECT_NE(picture.find("</title>Entropy<"), std::string::npos);
  EXPECT_NE(picture.find(">What each head does over 2 pairs<"), std::string::npos);
}

TEST_F(AttentionCommandTest, ATableSaysWhatIsWrong) {
  write("target", "ko ba\nri\n");
  write("gold", "0-1\nnonsense\n");
  const std::vector<std::string> arguments = {"--heads", "--target-file", path("target")};
  EXPECT_EQ(look(arguments, "ba\n").err,
            "heed: standard input has 1 line, but " + path("target") + " has 2\n");
  std::vector<std::string> more = arguments;
  more.insert(more.end(), {"--alignment", path("gold")});
  EXPECT_TRUE(look(more, "ba ko\nri\n")
                  .err.starts_with("heed: " + path("gold") + ": line 2: \"nonsense\" is no link"));
  EXPECT_EQ(look({"--heads"}).err, "heed: standard input: has no lines\n");
  EXPECT_EQ(look({"--ablate", "--source", "ba"}).code, 2);
  more = arguments;
  more.insert(more.end(), {"--html", path("a")});
  EXPECT_EQ(look(more).code, 2);
}

TEST_F(AttentionCommandTest, AnEncoderReadsTheTextItself) {
  testing::put_bert(path("bert"));
  const auto look_at = [&](std::vector<std::string> more, const std::string& input = "") {
    more.insert(more.begin(), {"attention", "--model", path("bert")});
    return run(more, input);
  };
  const Outcome drawn = look_at({"--source", "the playing", "--layer", "2", "--head", "1"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_TRUE(drawn.out.starts_with("Text: the playing\n\nEncoder self-attention, layer 2, head 1"))
      << drawn.out;
  EXPECT_NE(drawn.out.find("Text    [CLS]   the     playing [SEP]\n  [CLS] "), std::string::npos)
      << drawn.out;
  EXPECT_NE(look_at({"--source", "the playing", "--pieces"}).out.find("##ing"), std::string::npos);

  const Outcome lines = look_at({"--json"}, "the playing\n\na\n");
  EXPECT_EQ(std::ranges::count(lines.out, '\n'), 3) << lines.err;
  const Json first = Json::parse(lines.out.substr(0, lines.out.find('\n')));
  EXPECT_EQ(first["source"]["pieces"].size(), 5);
  EXPECT_EQ(first["attention"]["encoder"][1][1][4].size(), 5);
  EXPECT_EQ(first["shown"]["part"], "encoder");
  const Outcome off = look_at({"--json", "--without", "encoder:1:2"}, "the playing\n\na\n");
  EXPECT_NE(off.out, lines.out);

  const Outcome page = look_at({"--html", path("page.html")}, "the playing\na\n");
  EXPECT_EQ(page.code, 0) << page.err;
  const Json data = data_of(read("page.html"));
  EXPECT_EQ(data["sentences"].size(), 2);
  EXPECT_EQ(data["sentences"][0]["tokens"]["source"]["continuation"], "##");
  EXPECT_TRUE(data["sentences"][0]["parts"]["encoder"].contains("norms"));
  EXPECT_EQ(look_at({"--source", "a", "--svg", path("a.svg")}).code, 0);
  EXPECT_NE(read("a.svg").find(">Text<"), std::string::npos);

  EXPECT_EQ(look_at({"--source", "a", "--target", "the"}).err,
            "heed: attention: an encoder alone reads one text, so there is no translation to look "
            "at\n");
  EXPECT_EQ(look_at({"--source", "a", "--part", "cross"}).err,
            "heed: attention: this model has no attention in its cross part\n");
}

TEST_F(AttentionCommandTest, ATableOfAModelThatReadsOneText) {
  testing::put_bert(path("bert"));
  testing::put_language_model(path("language"));
  const auto table = [&](const std::string& model, std::vector<std::string> more,
                         const std::string& input) {
    more.insert(more.begin(), {"attention", "--heads", "--model", path(model)});
    return run(more, input);
  };
  const Outcome encoder = table("bert", {}, "the playing\na\n");
  EXPECT_EQ(encoder.code, 0) << encoder.err;
  EXPECT_EQ(std::ranges::count(encoder.out, '\n'), 5) << encoder.out;
  EXPECT_NE(encoder.out.find("\nencoder:2:2 "), std::string::npos);
  EXPECT_EQ(encoder.out.find("Importance"), std::string::npos);
  EXPECT_EQ(encoder.err,
            "2 lines: 8 tokens; the model predicts nothing, so no head has an importance\n");
  EXPECT_NE(table("bert", {"--without", "encoder:1:1"}, "the playing\na\n").out, encoder.out);
  EXPECT_EQ(table("bert", {"--ablate"}, "a\n").err,
            "heed: attention: an encoder alone predicts nothing, so --ablate has nothing to "
            "compare\n");

  const Outcome language = table("language", {"--ablate", "--json"}, "ba ko\nri\n");
  EXPECT_EQ(language.code, 0) << language.err;
  EXPECT_TRUE(language.err.starts_with("2 lines: cross-entropy ")) << language.err;
  const Json heads = Json::parse(language.out)["heads"];
  ASSERT_EQ(heads.size(), 4);
  EXPECT_EQ(heads[0]["part"], "decoder");
  EXPECT_GT(heads[0]["figures"]["importance"], 0.0);
  EXPECT_NE(heads[0]["figures"]["ablation"], 0.0);
  write("target", "ba\n");
  for (const char* const model : {"bert", "language"})
    EXPECT_EQ(table(model, {"--target-file", path("target")}, "a\n").err,
              "heed: attention: this model reads one text, so there are no translations and no "
              "links to compare\n");
}

TEST_F(AttentionCommandTest, ALanguageModelReadsTheTextItself) {
  testing::put_language_model(path("language"));
  const Outcome drawn =
      run({"attention", "--model", path("language"), "--source", "ba ko", "--head", "1"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_TRUE(drawn.out.starts_with("Text: ba ko\nLog-probability: -")) << drawn.out;
  EXPECT_NE(drawn.out.find("Text read so far\n"), std::string::npos) << drawn.out;
  EXPECT_NE(drawn.out.find(" <s> "), std::string::npos) << drawn.out;
  EXPECT_EQ(drawn.out.find("<pad>"), std::string::npos) << drawn.out;
}

TEST_F(AttentionCommandTest, ShowsWhatOthersHaveWritten) {
  TensorFileWriter writer;
  writer.add("attentions", Tensor::of({2, 1, 2, 2}, {1, 0, 0.5f, 0.5f, 0, 1, 0.25f, 0.75f}));
  writer.save(path("w.safetensors"));
  write("labels.json", R"({"queries": ["<b>", "y"], "keys": ["c", "d"]})");
  const auto show = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"attention", "--weights", path("w.safetensors")});
    return run(more);
  };
  const Outcome drawn = show({"--layer", "2", "--labels", path("labels.json")});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("attentions, layer 2, head 1"), std::string::npos) << drawn.out;
  EXPECT_NE(drawn.out.find("<b> . 9\n"), std::string::npos) << drawn.out;
  const Outcome page = show({"--html", path("w.html"), "--labels", path("labels.json")});
  EXPECT_EQ(page.code, 0) << page.err;
  const Json data = data_of(read("w.html"));
  EXPECT_EQ(data["sentences"][0]["parts"]["attentions"]["layers"], 2);
  EXPECT_EQ(data["sentences"][0]["tokens"]["attentions queries"]["pieces"][0], "<b>");
  EXPECT_EQ(show({"--layer", "3"}).code, 1);
  EXPECT_EQ(show({"--source", "ba"}).code, 2);
  EXPECT_EQ(show({"--heads"}).code, 2);
}

TEST_F(AttentionCommandTest, AttendWritesAPage) {
  EXPECT_EQ(run({"attend", "--example", path("in")}).code, 0);
  const Outcome result =
      run({"attend", "--input", path("in"), "--score", "dot", "--html", path("page.html")});
  EXPECT_EQ(result.code, 0) << result.err;
  const Json data = data_of(read("page.html"));
  EXPECT_EQ(data["sentences"].size(), 2);
  EXPECT_EQ(data["sentences"][1]["tokens"]["weights keys"]["pieces"].size(), 8);
}

TEST_F(AttentionCommandTest, AFailureLeavesNoFile) {
  std::string long_line = "ba";
  for (int i = 0; i < 1100; ++i) long_line += " ba";
  EXPECT_EQ(look({"--json", path("a"), "--html", path("b")}, "ba\n" + long_line).code, 1);
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  EXPECT_FALSE(std::filesystem::exists(path("b")));
}

TEST_F(AttentionCommandTest, LinesThatWouldBeSplitAreSaid) {
  std::string line = "ba";
  for (int i = 0; i < 300; ++i) line += " ba";
  const Outcome result = look({"--source", line, "--target", "ko", "--json", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err,
            "heed: line 1 is longer than what the model was trained on; heed translate would "
            "translate it in parts\n");
}

}  // namespace
}  // namespace heed
