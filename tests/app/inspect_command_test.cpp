#include "heed/app/cli/inspect_command.h"

#include <nlohmann/json.hpp>

#include "heed/base/json.h"
#include "heed/folders/model_folder.h"
#include "program_test.h"
#include "small_bert.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::Outcome;
using testing::small_vocabulary;
using Json = nlohmann::json;

class InspectCommandTest : public testing::ProgramTest {
 protected:
  void save(ModelConfig config, WeightStorage storage = WeightStorage::float32,
            const ModelNotes& notes = {}) const {
    set_vocabularies(config, small_vocabulary().size(), small_vocabulary().size());
    Rng rng(7);
    std::filesystem::create_directories(path("model"));
    save_model_folder(path("model"), {config,
                                      make_model(config, rng),
                                      small_vocabulary(),
                                      small_vocabulary(),
                                      storage,
                                      {},
                                      {},
                                      notes});
  }

  Json inspect(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"inspect", path("model"), "--json"});
    const Outcome outcome = run(more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out);
  }

  TransformerConfig transformer{.encoder_layers = 1,
                                .decoder_layers = 2,
                                .width = 32,
                                .ffn = 48,
                                .heads = 2,
                                .gated = true,
                                .dropout = 0.3};
};

TEST_F(InspectCommandTest, GivesJsonInItsOwnTypes) {
  save(transformer);
  const Json json = inspect();
  EXPECT_EQ(json["model"], "transformer");
  EXPECT_EQ(json["storage"], "float32");
  EXPECT_EQ(json["bytes"], std::filesystem::file_size(path("model/model.safetensors")));
  EXPECT_EQ(json["source-vocabulary"], 200);
  EXPECT_EQ(json["shared-vocabulary"], true);
  EXPECT_TRUE(json["parameters"].is_number_integer());
  const Json& settings = json["settings"];
  EXPECT_EQ(settings["width"], 32);
  EXPECT_TRUE(settings["width"].is_number_integer());
  EXPECT_EQ(settings["dropout"], 0.3);
  EXPECT_EQ(settings["gated"], true);
  EXPECT_EQ(settings["source-end"], true);
  EXPECT_EQ(settings["activation"], "relu");
  EXPECT_FALSE(json.contains("training"));
}

TEST_F(InspectCommandTest, SaysHowTheWeightsAreStored) {
  for (const auto& [storage, name] : {std::pair{WeightStorage::float32, "float32"},
                                      {WeightStorage::float16, "float16"},
                                      {WeightStorage::int8, "int8"}}) {
    save(transformer, storage);
    EXPECT_EQ(inspect()["storage"], name);
  }
}

TEST_F(InspectCommandTest, SaysHowItsMakersSearchWithIt) {
  save(transformer);
  EXPECT_FALSE(inspect().contains("search"));
  save(transformer, WeightStorage::float32, {.search = {.beam = 6, .narrowing = true}});
  const Json search = inspect()["search"];
  EXPECT_EQ(search["beam"], 6);
  EXPECT_EQ(search["narrowing"], true);
  EXPECT_EQ(search["alignment-head"], 0);
}

TEST_F(InspectCommandTest, ListsParametersInEitherForm) {
  save(RnnConfig{.embedding = 6, .hidden = 8});
  const Json json = inspect({"--parameters"});
  int64_t sum = 0;
  for (const Json& array : json["arrays"]) sum += array["elements"].get<int64_t>();
  EXPECT_EQ(json["parameters"], sum);
  EXPECT_EQ(json["arrays"][0]["name"], "source_embedding.weight");
  EXPECT_EQ(json["arrays"][0]["shape"], Json({200, 6}));
  const Outcome text = run({"inspect", path("model"), "--parameters"});
  EXPECT_NE(text.out.find("source_embedding.weight"), std::string::npos);
  EXPECT_NE(text.out.find("(200, 6)"), std::string::npos);
}

TEST_F(InspectCommandTest, TellsPeopleTheSame) {
  save(transformer, WeightStorage::int8);
  const Outcome outcome = run({"inspect", path("model")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* line :
       {"model                     transformer\n", "storage                   int8\n",
        "shared-vocabulary         true\n", "settings\n", "  gated                   true\n",
        "  dropout                 0.3\n", "  activation              relu\n"})
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << outcome.out;
}

TEST_F(InspectCommandTest, TellsTheHistoryOfTraining) {
  save(transformer);
  write("model/training.jsonl", R"({"event":"validation","step":7,"seconds":2,"cross-entropy":1.5,)"
                                R"("perplexity":4,"best":true})"
                                "\n"
                                R"({"event":"validation","step":9,"seconds":3,"cross-entropy":1.6,)"
                                R"("perplexity":5,"best":false})"
                                "\n");
  const Json training = inspect()["training"];
  EXPECT_EQ(training["validations"], 2);
  EXPECT_EQ(training["steps"], 9);
  EXPECT_EQ(training["best"]["step"], 7);
  EXPECT_EQ(training["best"]["cross-entropy"], 1.5);
}

TEST_F(InspectCommandTest, TakesTheFolderInOneOfTwoWays) {
  save(transformer);
  const Outcome plain = run({"inspect", path("model")}),
                named = run({"inspect", "--model", path("model")});
  EXPECT_EQ(plain.code, 0);
  EXPECT_EQ(named.code, 0);
  EXPECT_EQ(plain.out, named.out);
  const Outcome none = run({"inspect"});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err, "heed: The model's folder is required (see heed inspect --help)\n");
  const Outcome both = run({"inspect", path("model"), "--model", path("model")});
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(both.err, "heed: folder and --model do not go together (see heed inspect --help)\n");
  const Outcome help = run({"inspect", "--help"});
  EXPECT_EQ(help.out.find("REQUIRED"), std::string::npos) << help.out;
  EXPECT_NE(help.out.find("one of the two is needed"), std::string::npos) << help.out;
}

TEST_F(InspectCommandTest, KnowsAnEncoderAlone) {
  testing::put_bert(path("bert"));
  const Outcome outcome = run({"inspect", "--json", "--parameters", path("bert")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const JsonValue json = JsonValue::parse(outcome.out);
  EXPECT_EQ(json["model"], "bert");
  EXPECT_EQ(json["parameters"], 16160);
  EXPECT_EQ(json["vocabulary"], 20);
  EXPECT_EQ(json["settings"]["context-length"], 12);
  EXPECT_EQ(json["settings"]["activation"], "gelu");
  EXPECT_EQ(json["arrays"].size(), 37u);
}

TEST_F(InspectCommandTest, SaysWhatIsWrong) {
  const auto complaint = [&](const std::string& folder) {
    const Outcome outcome = run({"inspect", folder});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_EQ(complaint(path("none")), "heed: " + path("none") + ": there is no such folder\n");
  write("file", "");
  EXPECT_EQ(complaint(path("file")),
            "heed: " + path("file") + ": is a file, but a folder was expected\n");
  const std::string too_long = path(std::string(300, 'x'));
  EXPECT_EQ(complaint(too_long), "heed: " + too_long + ": cannot be read: File name too long\n");
  save(transformer);
  std::filesystem::remove(path("model/model.safetensors"));
  EXPECT_EQ(complaint(path("model")), "heed: " + path("model/model.safetensors") +
                                          ": cannot be read: No such file or directory\n");
}

}  // namespace
}  // namespace heed
