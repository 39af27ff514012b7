#include "heed/app/cli/train_command.h"

#include <algorithm>

#include "heed/data/dates.h"
#include "heed/models/model_folder.h"
#include "program_test.h"

namespace heed {
namespace {

using testing::Outcome;

class TrainCommandTest : public testing::ProgramTest {
 protected:
  TrainCommandTest() {
    Rng rng(1);
    std::string written, iso;
    for (int i = 0; i < 120; ++i) {
      const DatePair pair = random_date(rng, DateUse::training);
      written += pair.written + '\n';
      iso += pair.iso + '\n';
    }
    write("a.written", written);
    write("a.iso", iso);
  }

  using Flags = std::map<std::string, std::vector<std::string>>;

  // A run of a few milliseconds; `more` adds flags and replaces their values, and what is empty is left out.
  Outcome train(const Flags& more = {}) const {
    Flags flags = {{"--train", {path("a.written"), path("a.iso")}},
                   {"--model", {path("model")}},
                   {"--vocabulary-kind", {"characters"}},
                   {"--depth", {"16"}},
                   {"--heads", {"2"}},
                   {"--encoder-layers", {"1"}},
                   {"--decoder-layers", {"1"}},
                   {"--feed-forward", {"32"}},
                   {"--batch", {"512"}},
                   {"--longest", {"100"}},
                   {"--steps", {"3"}},
                   {"--threads", {"1"}},
                   {"--valid-lines", {"2"}}};
    for (const auto& [flag, values] : more) flags[flag] = values;
    std::vector<std::string> arguments = {"train"};
    for (const auto& [flag, values] : flags) {
      if (values.empty()) continue;
      arguments.push_back(flag);
      // A flag that takes no value.
      if (values != std::vector<std::string>{""})
        arguments.insert(arguments.end(), values.begin(), values.end());
    }
    return run(arguments);
  }

  // The last thing that a failed run says, without the name of the program and with short paths.
  std::string complaint(const Flags& more, int code = 1) const {
    const Outcome outcome = train(more);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    std::string said = outcome.err;
    EXPECT_TRUE(said.ends_with('\n')) << said;
    said = said.substr(0, said.size() - 1);
    said = said.substr(said.rfind('\n') + 1);
    EXPECT_TRUE(said.starts_with("heed: ")) << said;
    for (size_t place; (place = said.find(path(""))) != std::string::npos;)
      said.erase(place, path("").size());
    return said.substr(std::min<size_t>(said.size(), 6));
  }

  std::string weights() const { return read("model/model.safetensors"); }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(TrainCommandTest, LeavesAModelThatCanBeLoaded) {
  const Outcome outcome = train();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("114 pairs to learn from, 6 to validate with; 1 thread\n"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("best cross-entropy: "), std::string::npos);
  const ModelFolder folder = load_model_folder(path("model"));
  EXPECT_EQ(std::get<TransformerConfig>(folder.config).depth, 16);
}

TEST_F(TrainCommandTest, TrainsRecurrentModels) {
  const Flags rnn = {{"--preset", {"rnn"}},    {"--depth", {}},          {"--heads", {}},
                     {"--encoder-layers", {}}, {"--decoder-layers", {}}, {"--feed-forward", {}},
                     {"--hidden", {"16"}},     {"--embedding", {"8"}},   {"--cell", {"lstm"}}};
  EXPECT_EQ(train(rnn).code, 0);
  EXPECT_EQ(std::get<RnnConfig>(load_model_folder(path("model")).config).hidden, 16);
}

TEST_F(TrainCommandTest, LearnedPositionsReachAsFarAsTheSentences) {
  const std::string line(900, 'x');
  write("long.written", line + "\n3 May 1979\n");
  write("long.iso", line + "\n1979-05-03\n");
  for (const char* longest : {"100", "1000"}) {
    std::filesystem::remove_all(path("model"));
    const Outcome outcome = train({{"--train", {path("long.written"), path("long.iso")}},
                                   {"--valid", {path("long.written"), path("long.iso")}},
                                   {"--positions", {"learned"}},
                                   {"--batch", {"2000"}},
                                   {"--longest", {longest}}});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

TEST_F(TrainCommandTest, KnowsThatARunIsFinishedAndGoesOnWithALargerBudget) {
  ASSERT_EQ(train().code, 0);
  const std::string before = weights();
  const Outcome again = train();
  EXPECT_EQ(again.code, 0);
  EXPECT_TRUE(again.err.ends_with(
      "this run is finished; a larger budget (--steps, --epochs, --time) would continue it\n"))
      << again.err;
  EXPECT_TRUE(weights() == before);
  const Outcome more = train({{"--steps", {"6"}}});
  EXPECT_EQ(more.code, 0);
  EXPECT_NE(more.err.find("; going on at step 3\n"), std::string::npos) << more.err;
  EXPECT_FALSE(weights() == before);
}

TEST_F(TrainCommandTest, TakesUpTheSameCommandWithoutItsCorpus) {
  ASSERT_EQ(train().code, 0);
  std::filesystem::remove(path("a.written"));
  EXPECT_EQ(train({{"--steps", {"6"}}}).code, 0);
}

TEST_F(TrainCommandTest, NamesAMissingFile) {
  EXPECT_EQ(complaint({{"--train", {path("absent"), path("a.iso")}}}),
            "absent: cannot be read: No such file or directory");
  EXPECT_EQ(complaint({{"--valid", {path("a.written"), path("absent")}}}),
            "absent: cannot be read: No such file or directory");
  EXPECT_EQ(complaint({{"--vocabulary-files", {path("absent.spm")}}}),
            "absent.spm: cannot be read: No such file or directory");
  // A mistake does not spoil the folder.
  EXPECT_EQ(train().code, 0);
}

TEST_F(TrainCommandTest, RefusesACorpusWithoutPairs) {
  write("empty", "");
  write("blank", "\n\n\n");
  write("short", "one\n");
  EXPECT_NE(complaint({{"--train", {path("empty"), path("empty")}}}).find("empty"), std::string::npos);
  EXPECT_NE(complaint({{"--train", {path("blank"), path("blank")}}}).find("blank"), std::string::npos);
  EXPECT_NE(complaint({{"--train", {path("short"), path("short")}}}).find("short"), std::string::npos);
  EXPECT_NE(complaint({{"--train", {path("a.written"), path("short")}}}).find("short"), std::string::npos);
  EXPECT_NE(complaint({{"--valid", {path("blank"), path("blank")}}}).find("blank"), std::string::npos);
  EXPECT_EQ(complaint({{"--longest", {"4"}}}),
            "batches: no pair of the corpus has at most 4 tokens on each side");
}

TEST_F(TrainCommandTest, RefusesAFolderOfSomethingElse) {
  std::filesystem::create_directory(path("model"));
  write("model/thesis.tex", "years of work");
  EXPECT_EQ(complaint({}), "model: not an empty folder, and not one of a run that could go on");
  EXPECT_EQ(complaint({{"--override", {""}}}),
            "model: not an empty folder, and not one of a run that could go on");
  EXPECT_EQ(read("model/thesis.tex"), "years of work");
  EXPECT_EQ(complaint({{"--model", {path("a.iso")}}}), "a.iso: cannot be read: Not a directory");
  EXPECT_EQ(complaint({{"--model", {path("a.iso/model")}}}), "a.iso/model: cannot be made: Not a directory");
}

TEST_F(TrainCommandTest, TakesAnEmptyFolderAndOneThatWasJustClaimed) {
  std::filesystem::create_directory(path("model"));
  EXPECT_EQ(train().code, 0);
  // A run that was killed at once leaves this.
  std::filesystem::create_directories(path("killed/training"));
  write("killed/training/lock", "");
  write("killed/training/.heed-1-0.partial", "{");
  EXPECT_EQ(train({{"--model", {path("killed")}}}).code, 0);
}

TEST_F(TrainCommandTest, RefusesAChangedSettingByItsName) {
  ASSERT_EQ(train().code, 0);
  const std::string before = weights(), settings = read("model/training/settings.json");
  EXPECT_EQ(complaint({{"--rate", {"0.5"}}, {"--steps", {"6"}}}),
            "model: the run was begun with other settings: rate (not set, now 0.5); --override goes on with "
            "the new ones");
  EXPECT_EQ(complaint({{"--batch", {"600"}}, {"--seed", {"9"}}}),
            "model: the run was begun with other settings: batch (512, now 600), seed (1, now 9); --override "
            "goes on with the new ones");
  EXPECT_TRUE(weights() == before);
  EXPECT_EQ(read("model/training/settings.json"), settings);
}

TEST_F(TrainCommandTest, TakesAChangedSettingOnPurpose) {
  ASSERT_EQ(train().code, 0);
  const Flags changed = {{"--rate", {"0.5"}},
                         {"--batch", {"2000"}},
                         {"--dropout", {"0.25"}},
                         {"--steps", {"6"}},
                         {"--override", {""}}};
  const Outcome outcome = train(changed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("going on at step 3"), std::string::npos);
  EXPECT_EQ(std::get<TransformerConfig>(load_model_folder(path("model")).config).dropout, 0.25);
  Flags same = changed;
  same.erase("--override");
  same["--steps"] = {"9"};
  EXPECT_EQ(train(same).code, 0);
}

TEST_F(TrainCommandTest, TakesAnotherCorpusOnPurpose) {
  ASSERT_EQ(train().code, 0);
  write("b.written", "3 May 1979\n4 May 1979\n5 May 1979\n");
  write("b.iso", "1979-05-03\n1979-05-04\n1979-05-05\n");
  const Outcome outcome =
      train({{"--train", {path("b.written"), path("b.iso")}}, {"--steps", {"6"}}, {"--override", {""}}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("; 2 pairs to learn from, 1 to validate with"), std::string::npos)
      << outcome.err;
}

TEST_F(TrainCommandTest, RefusesChangesThatTheWeightsDoNotFit) {
  ASSERT_EQ(train().code, 0);
  const std::string before = weights();
  EXPECT_EQ(
      complaint({{"--depth", {"32"}}, {"--override", {""}}}),
      "model: the weights of the run do not fit the new settings of the model; a new run needs an empty "
      "folder");
  EXPECT_EQ(
      complaint({{"--vocabulary-kind", {"bpe"}}, {"--override", {""}}}),
      "model: the words of a run cannot change: vocabulary-kind (characters, now bpe); a new run needs an "
      "empty folder");
  EXPECT_TRUE(weights() == before);
  EXPECT_EQ(train({{"--steps", {"6"}}}).code, 0);
}

// Until there is something to lose, a mistake can be mended without further ado.
TEST_F(TrainCommandTest, PreparesAnewWhereNoStepWasSaved) {
  EXPECT_EQ(complaint({{"--vocabulary-kind", {"unigram"}}, {"--vocabulary", {"90000"}}}).substr(0, 22),
            "a vocabulary of 90000 ");
  EXPECT_EQ(train({{"--seed", {"4"}}}).code, 0);
}

TEST_F(TrainCommandTest, RefusesImpossibleSettings) {
  EXPECT_EQ(complaint({{"--heads", {"3"}}}), "transformer: 3 heads do not divide a depth of 16");
  EXPECT_EQ(complaint({{"--heads", {"0"}}}), "transformer: 0 heads do not divide a depth of 16");
  EXPECT_EQ(complaint({{"--key-heads", {"3"}}}), "transformer: 3 key heads do not divide 2 heads");
  EXPECT_EQ(complaint({{"--dropout", {"1"}}}), "transformer: a dropout of 1 but 0 <= rate < 1 was expected");
  EXPECT_EQ(complaint({{"--batch", {"99"}}}),
            "train: a batch of 99 tokens is smaller than a sentence, which may have 100 (--longest)");
  EXPECT_EQ(complaint({{"--rate", {"-1"}}}),
            "schedule: a learning rate of -1 but a positive number was expected");
  EXPECT_EQ(complaint({{"--schedule", {"cosine"}}, {"--warm-up", {"5"}}}),
            "schedule: the rate reaches zero at step 3, but the warm-up takes 5 steps");
  EXPECT_EQ(complaint({{"--label-smoothing", {"1.5"}}}),
            "learner: label smoothing of 1.5 but 0 <= label smoothing < 1 was expected");
  EXPECT_EQ(complaint({{"--criterion", {"bleu"}}, {"--valid-lines", {"0"}}}),
            "train: the criterion bleu needs translations, but --valid-lines is 0");
  EXPECT_EQ(complaint({{"--depth", {"deep"}}}), "--depth is \"deep\" but NUMBER was expected");
  EXPECT_EQ(complaint({{"--norm", {"between"}}}), "--norm is \"between\" but after|before was expected");
  EXPECT_EQ(complaint({{"--hidden", {"5"}}}), "--hidden is no setting of the model transformer");
  EXPECT_EQ(complaint({{"--preset", {"rnn"}}}), "--decoder-layers is no setting of the model rnn");
  EXPECT_EQ(complaint({{"--memory", {"1M"}}}).substr(0, 28), "training: 1 MB do not suffic");
  // None of them has left a folder that is in the way.
  EXPECT_EQ(train().code, 0);
}

TEST_F(TrainCommandTest, WrongUsageExitsWith2) {
  const auto usage = [&](const Flags& more) { return complaint(more, 2); };
  EXPECT_EQ(usage({{"--detph", {""}}}),
            "The following argument was not expected: --detph (see heed train --help)");
  for (const char* time : {"soon", "-3s", "0", "5x", "m", ""})
    EXPECT_NE(
        usage({{"--time", {std::string("=") + time}}}).find("but a time such as 90s, 30m or 2h was expected"),
        std::string::npos)
        << time;
  EXPECT_EQ(usage({{"--memory", {"lots"}}}),
            "--memory: \"lots\" but a size such as 500M or 2G was expected (see heed train --help)");
  EXPECT_NE(usage({{"--steps", {"0"}}}).find("--steps"), std::string::npos);
  EXPECT_NE(usage({{"--steps", {"many"}}}).find("--steps"), std::string::npos);
  EXPECT_NE(usage({{"--preset", {"gigantic"}}}).find("--preset"), std::string::npos);
  EXPECT_NE(usage({{"--criterion", {"beauty"}}}).find("cross-entropy|perplexity|bleu|chrf"),
            std::string::npos);
  EXPECT_NE(usage({{"--train", {}}}).find("--train is required"), std::string::npos);
  EXPECT_NE(usage({{"--model", {}}}).find("--model is required"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("model")));
}

}  // namespace
}  // namespace heed
