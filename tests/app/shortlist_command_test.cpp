#include "heed/app/cli/shortlist_command.h"

#include "heed/folders/model_folder.h"
#include "program_test.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::made_up_sentences;
using testing::Outcome;
using testing::small_vocabulary;

class ShortlistCommandTest : public testing::ProgramTest {
 protected:
  // An untrained model, and pairs in which every word is its own translation.
  ShortlistCommandTest() {
    const int64_t vocabulary = small_vocabulary().size();
    const ModelConfig config = TransformerConfig{.source_vocabulary = vocabulary,
                                                 .target_vocabulary = vocabulary,
                                                 .encoder_layers = 1,
                                                 .decoder_layers = 1,
                                                 .width = 32,
                                                 .ffn = 64,
                                                 .heads = 2};
    Rng rng(5);
    std::filesystem::create_directory(path("model"));
    save_model_folder(path("model"), {.config = config,
                                      .model = make_model(config, rng),
                                      .source = small_vocabulary(),
                                      .target = small_vocabulary(),
                                      .lengths = {60, 20, 2}});
    std::string text;
    for (const std::string& line : made_up_sentences(100)) text += line + "\n";
    write("text", text);
  }

  Outcome learn(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"shortlist", "--model",    path("model"),
                                          "--train",   path("text"), path("text")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  Shortlist stored() const { return *load_model_folder(path("model")).shortlist; }
};

TEST_F(ShortlistCommandTest, StoresAShortlistInTheFolder) {
  EXPECT_EQ(run({"translate", "--model", path("model"), "--shortlist"}, "ba\n").code, 1);
  const Outcome result = learn({"--best", "2", "--frequent", "3"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const ShortlistLists lists = stored().lists();
  EXPECT_EQ(lists.frequent.size(), 3u);
  EXPECT_TRUE(lists.with_source) << "the vocabularies are one";
  // Every piece that occurs translates itself.
  int64_t found = 0;
  for (size_t source = 0; source + 1 < lists.offsets.size(); ++source) {
    const auto begin = lists.targets.begin() + lists.offsets[source],
               end = lists.targets.begin() + lists.offsets[source + 1];
    EXPECT_LE(end - begin, 2);
    if (begin == end) continue;
    ++found;
    EXPECT_NE(std::find(begin, end, static_cast<int32_t>(source)), end) << source;
  }
  EXPECT_GT(found, 20);
  EXPECT_EQ(run({"translate", "--model", path("model"), "--shortlist"}, "ba\n").code, 0);
}

TEST_F(ShortlistCommandTest, LeavesTheModelAsItWas) {
  const std::vector<std::string> translate = {"translate", "--model", path("model")};
  const std::string before = run(translate, "ba ko\n").out;
  ASSERT_EQ(learn().code, 0);
  EXPECT_EQ(run(translate, "ba ko\n").out, before);
}

TEST_F(ShortlistCommandTest, FindsTheSameOnAnyNumberOfThreads) {
  const auto bytes = [&](const std::string& threads) {
    EXPECT_EQ(learn({"--threads", threads}).code, 0);
    std::ifstream file(path("model") + "/shortlist.safetensors", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string alone = bytes("1");
  EXPECT_EQ(bytes("2"), alone);
  EXPECT_EQ(bytes("4"), alone);
}

TEST_F(ShortlistCommandTest, AShortlistOfNothingHasTheEndAlone) {
  ASSERT_EQ(learn({"--best", "0", "--frequent", "0"}).code, 0);
  EXPECT_TRUE(stored().lists().targets.empty());
  EXPECT_TRUE(stored().lists().frequent.empty());
}

TEST_F(ShortlistCommandTest, SaysWhatIsWrong) {
  const Outcome nowhere =
      run({"shortlist", "--model", path("none"), "--train", path("text"), path("text")});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_EQ(nowhere.err, "heed: " + path("none") + ": there is no such folder\n");
  write("short", "one\n");
  const Outcome uneven =
      run({"shortlist", "--model", path("model"), "--train", path("text"), path("short")});
  EXPECT_EQ(uneven.code, 1);
  EXPECT_FALSE(std::filesystem::exists(path("model") + "/shortlist.safetensors"));
}

TEST_F(ShortlistCommandTest, WrongUsageExitsWith2) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--best", "-1"},
                                               {"--frequent", "many"},
                                               {"--threads", "-1"},
                                               {"--format", "csv"},
                                               {"--max-characters", "0"},
                                               {"--unknown"}})
    EXPECT_EQ(learn(more).code, 2) << more[0];
  EXPECT_EQ(run({"shortlist", "--model", path("model")}).code, 2);
  EXPECT_EQ(run({"shortlist", "--train", path("text"), path("text")}).code, 2);
  EXPECT_EQ(run({"shortlist", "--model", path("model"), "--train", "-", "-"}).code, 2);
}

}  // namespace
}  // namespace heed
