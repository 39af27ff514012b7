#include "heed/app/cli/align_command.h"

#include <algorithm>
#include <iterator>

#include "program_test.h"

namespace heed {
namespace {

using testing::Outcome;

class AlignCommandTest : public testing::ProgramTest {
 protected:
  // Adjectives follow their nouns, but not in whole sentences.
  AlignCommandTest() {
    for (const auto& [noun, nom] : nouns)
      for (const auto& [colour, couleur] : colours) {
        add("the " + colour + " " + noun, "la " + nom + " " + couleur, "0-0 1-2 2-1");
        add("a " + noun + " is " + colour, "une " + nom + " est " + couleur, "0-0 1-1 2-2 3-3");
      }
    write("en", source_);
    write("fr", target_);
  }

  void add(const std::string& source, const std::string& target, const std::string& links) {
    source_ += source + "\n";
    target_ += target + "\n";
    table_ += source + "\t" + target + "\n";
    links_ += links + "\n";
  }

  Outcome align(const std::vector<std::string>& more, const std::string& input = "") const {
    std::vector<std::string> arguments = {"align", "--train", path("en"), path("fr")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, input);
  }

  const std::vector<std::pair<std::string, std::string>> nouns = {{"house", "maison"},
                                                                  {"car", "voiture"},
                                                                  {"dog", "chien"},
                                                                  {"tree", "arbre"},
                                                                  {"book", "livre"}},
                                                         colours = {{"green", "vert"},
                                                                    {"red", "rouge"},
                                                                    {"big", "grand"},
                                                                    {"new", "neuf"}};
  std::string source_, target_, table_, links_;
};

TEST_F(AlignCommandTest, WritesTheLinksOfEveryPair) {
  const Outcome result = align({});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, links_);
  EXPECT_EQ(result.err, "");
}

TEST_F(AlignCommandTest, KnowsEveryMethod) {
  for (const Symmetrisation method : every_symmetrisation)
    EXPECT_EQ(align({"--symmetrise", std::string(name_of(method))}).out, links_) << name_of(method);
  EXPECT_EQ(align({"--symmetrise", "agreement"}).out, links_);
}

TEST_F(AlignCommandTest, ReadsEveryFormat) {
  write("pairs.tsv", table_);
  EXPECT_EQ(run({"align", "--train", path("pairs.tsv")}).out, links_);
}

TEST_F(AlignCommandTest, AlignsOtherPairs) {
  write("new.en", "the red zagreb\n\nthe big dog\n");
  write("new.fr", "la zagreb rouge\nrien\nla chien grand\n");
  const Outcome result = align({"--align", path("new.en"), path("new.fr")});
  EXPECT_EQ(result.out, "0-0 1-2 2-1\n\n0-0 1-2 2-1\n");
  EXPECT_EQ(result.err, "heed: 1 of 3 pairs have no links: 1 empty side\n");
}

// A line for each pair, whatever is wrong with it.
TEST_F(AlignCommandTest, PairsThatCannotBeUsedGetEmptyLines) {
  write("en",
        std::string("\n   \nno\0l\nbad \xFF\n", 17) + std::string(3000, 'x') + "\n" + source_);
  write("fr", "rien\nrien\nrien\nrien\nrien\n" + target_);
  const Outcome result = align({});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "\n\n\n\n\n" + links_);
  EXPECT_EQ(result.err.rfind("heed: 5 of 45 pairs have no links: ", 0), 0u) << result.err;
}

TEST_F(AlignCommandTest, TakesLongLines) {
  std::string words;
  for (int i = 0; i < 600; ++i) words += "w" + std::to_string(i % 300) + " ";
  write("en", words + "\n" + source_);
  write("fr", words + "\n" + target_);
  const Outcome result = align({"--max-characters", "100000"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 41);
  EXPECT_EQ(result.out.rfind("0-0 1-1 2-2 ", 0), 0u);
}

TEST_F(AlignCommandTest, SplitsTextsIntoWordsIfAsked) {
  write("one", "the house.\n");
  write("two", "la maison.\n");
  EXPECT_EQ(align({"--tokenise", "13a", "--align", path("one"), path("two")}).out, "0-0 1-1 2-2\n");
}

TEST_F(AlignCommandTest, WritesTheSameBytesOnAnyNumberOfThreads) {
  const std::string alone = align({"--threads", "1", "--symmetrise", "union"}).out;
  EXPECT_EQ(align({"--threads", "2", "--symmetrise", "union"}).out, alone);
  EXPECT_EQ(align({"--threads", "4", "--symmetrise", "union"}).out, alone);
}

TEST_F(AlignCommandTest, WritesAFile) {
  EXPECT_EQ(align({"--output", path("links")}).out, "");
  std::ifstream file(path("links"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), links_);
}

TEST_F(AlignCommandTest, SaysWhatIsWrongWithTheFiles) {
  write("fr", "une\n");
  EXPECT_EQ(align({}).code, 1);
  EXPECT_EQ(align({}).err, "heed: " + path("en") + " has 40 lines but " + path("fr") +
                               " has 1, so they are not parallel\n");
  EXPECT_EQ(align({"--truncate"}).code, 0);
  EXPECT_EQ(run({"align", "--train", path("en")}).code, 1);
  EXPECT_EQ(run({"align", "--train", path("none"), path("fr")}).err,
            "heed: " + path("none") + ": cannot be read: No such file or directory\n");
  write("en", "\n");
  write("fr", "\n");
  EXPECT_EQ(align({}).err, "heed: " + path("en") +
                               " and the other files: none of the 1 sentence pairs can be used: 1 "
                               "empty side\n");
  EXPECT_EQ(align({"--output", path("links")}).code, 1);
  EXPECT_FALSE(std::filesystem::exists(path("links")));
}

TEST_F(AlignCommandTest, WrongUsageExitsWith2) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--symmetrise", "both"},
                                               {"--symmetrise", ""},
                                               {"--tokenise", "14b"},
                                               {"--stem", "-1"},
                                               {"--stem", "many"},
                                               {"--threads", "-1"},
                                               {"--format", "csv"},
                                               {"--max-characters", "0"},
                                               {"--output", ""},
                                               {"--align", ""},
                                               {"--align", "-", "-"},
                                               {"--unknown"}}) {
    EXPECT_EQ(align(more).code, 2) << more[0];
    EXPECT_EQ(align(more).out, "");
  }
  EXPECT_EQ(run({"align"}).code, 2);
  EXPECT_EQ(
      align({"--symmetrise", "both"}).err,
      "heed: --symmetrise: \"both\" but one of agreement, forward, reverse, intersect, union, "
      "grow-diag, grow-diag-final, grow-diag-final-and was expected (see heed align "
      "--help)\n");
}

}  // namespace
}  // namespace heed
