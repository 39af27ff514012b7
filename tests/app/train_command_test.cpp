#include "heed/app/cli/train_command.h"

#include <algorithm>

#include "heed/data/dates.h"
#include "heed/folders/model_folder.h"
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

  // A run of a few milliseconds; `more` adds flags or replaces their values; flags with empty
  // values are left out.
  Outcome train(const Flags& more = {}) const {
    Flags flags = {{"--train", {path("a.written"), path("a.iso")}},
                   {"--model", {path("model")}},
                   {"--vocabulary-kind", {"characters"}},
                   {"--width", {"16"}},
                   {"--heads", {"2"}},
                   {"--encoder-layers", {"1"}},
                   {"--decoder-layers", {"1"}},
                   {"--ffn", {"32"}},
                   {"--batch", {"512"}},
                   {"--max-length", {"100"}},
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

  // The last sentence of a failed run, without the name of the program and with short paths.
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
  EXPECT_NE(outcome.err.find("114 pairs for training, 6 for validation; 1 thread\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("best cross-entropy: "), std::string::npos);
  const ModelFolder folder = load_model_folder(path("model"));
  EXPECT_EQ(std::get<TransformerConfig>(folder.config).width, 16);
}

TEST_F(TrainCommandTest, TrainsRecurrentModels) {
  const Flags rnn = {{"--preset", {"rnn"}},    {"--width", {}},          {"--heads", {}},
                     {"--encoder-layers", {}}, {"--decoder-layers", {}}, {"--ffn", {}},
                     {"--hidden", {"16"}},     {"--embedding", {"8"}},   {"--cell", {"lstm"}}};
  EXPECT_EQ(train(rnn).code, 0);
  EXPECT_EQ(std::get<RnnConfig>(load_model_folder(path("model")).config).hidden, 16);
}

TEST_F(TrainCommandTest, TiesNoTablesOfTwoVocabularies) {
  const Outcome outcome = train({{"--separate-vocabularies", {""}}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::get<TransformerConfig>(load_model_folder(path("model")).config).tied,
            TiedEmbeddings::decoder);
  EXPECT_EQ(
      complaint({{"--separate-vocabularies", {""}}, {"--tied-embeddings", {"all"}}}, 2),
      "--tied-embeddings: all needs a joint vocabulary, but there are two (see heed train --help)");
}

TEST_F(TrainCommandTest, LearnedPositionsCoverTheLongestTrainingSentence) {
  const std::string line(900, 'x');
  write("long.written", line + "\n3 May 1979\n");
  write("long.iso", line + "\n1979-05-03\n");
  using Expected = std::pair<const char*, int64_t>;
  for (const auto& [max_length, context_length] : {Expected{"100", 512}, {"1000", 1000}}) {
    std::filesystem::remove_all(path("model"));
    const Outcome outcome = train({{"--train", {path("long.written"), path("long.iso")}},
                                   {"--valid", {path("long.written"), path("long.iso")}},
                                   {"--positions", {"learned"}},
                                   {"--batch", {"2000"}},
                                   {"--max-length", {max_length}}});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const ModelConfig config = load_model_folder(path("model")).config;
    EXPECT_EQ(std::get<TransformerConfig>(config).context_length, context_length);
  }
}

TEST_F(TrainCommandTest, TheContextLengthIsApartFromTheMaximumLengthOfTrainingSentences) {
  const Flags learned = {{"--positions", {"learned"}}, {"--context-length", {"120"}}};
  EXPECT_EQ(train(learned).code, 0);
  const ModelConfig config = load_model_folder(path("model")).config;
  EXPECT_EQ(std::get<TransformerConfig>(config).context_length, 120);
  const Flags too_short = {{"--positions", {"learned"}}, {"--context-length", {"99"}}};
  EXPECT_EQ(complaint(too_short, 2),
            "--context-length: 99 tokens, but training sentences may have up to 100 (--max-length) "
            "(see heed train --help)");
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
  EXPECT_NE(more.err.find("; continuing at step 3\n"), std::string::npos) << more.err;
  EXPECT_FALSE(weights() == before);
}

TEST_F(TrainCommandTest, TakesUpTheSameCommandWithoutItsCorpus) {
  ASSERT_EQ(train().code, 0);
  std::filesystem::remove(path("a.written"));
  EXPECT_EQ(train({{"--steps", {"6"}}}).code, 0);
}

TEST_F(TrainCommandTest, RefusesACorpusThatHasChangedByItsName) {
  const Flags valid = {{"--valid", {path("v.written"), path("v.iso")}}, {"--steps", {"6"}}};
  write("v.written", "3 May 1979\n");
  write("v.iso", "1979-05-03\n");
  Flags begun = valid;
  begun["--steps"] = {"3"};
  ASSERT_EQ(train(begun).code, 0);
  const std::string before = weights();
  write("v.iso", "1979-05-30\n");
  EXPECT_EQ(complaint(valid),
            "v.iso: has changed since the run was started; --override continues with the new text");
  write("a.written", read("a.written") + "3 May 1979\n");
  write("a.iso", read("a.iso") + "1979-05-03\n");
  EXPECT_EQ(complaint(valid),
            "a.written, a.iso, v.iso: have changed since the run was started; --override continues "
            "with the new text");
  EXPECT_TRUE(weights() == before);
  Flags changed = valid;
  changed["--override"] = {""};
  const Outcome outcome = train(changed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("121 pairs for training, 1 for validation"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("continuing at step 3"), std::string::npos) << outcome.err;
  // From now on, these are the files of the run.
  changed.erase("--override");
  changed["--steps"] = {"9"};
  EXPECT_EQ(train(changed).code, 0);
}

TEST_F(TrainCommandTest, ReadsOnlyTheCorpusAnewThatHasChanged) {
  write("v.written", "3 May 1979\n");
  write("v.iso", "1979-05-03\n");
  const Flags valid = {{"--valid", {path("v.written"), path("v.iso")}}};
  ASSERT_EQ(train(valid).code, 0);
  std::filesystem::remove(path("a.written"));
  write("v.iso", "1979-05-30\n");
  Flags changed = valid;
  changed.insert({{"--override", {""}}, {"--steps", {"6"}}});
  const Outcome outcome = train(changed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  // If a file is needed but gone, nothing is thrown away.
  write("a.iso", "1979-05-30\n");
  changed["--steps"] = {"9"};
  EXPECT_EQ(complaint(changed), "a.written: cannot be read: No such file or directory");
  std::filesystem::remove(path("a.iso"));
  EXPECT_EQ(train(changed).code, 0);
}

TEST_F(TrainCommandTest, TakesCopiesOfTheCorpusWithOtherTimes) {
  ASSERT_EQ(train().code, 0);
  write("a.written", read("a.written"));
  std::filesystem::last_write_time(
      path("a.iso"), std::filesystem::file_time_type::clock::now() - std::chrono::hours(9));
  EXPECT_EQ(train({{"--steps", {"6"}}}).code, 0);
}

TEST_F(TrainCommandTest, RefusesVocabularyFilesThatHaveChanged) {
  ASSERT_EQ(train().code, 0);
  std::filesystem::copy(path("model/source.spm"), path("words.spm"));
  std::filesystem::remove_all(path("model"));
  const Flags words = {{"--vocabulary-files", {path("words.spm")}}, {"--steps", {"6"}}};
  ASSERT_EQ(train({*words.find("--vocabulary-files")}).code, 0);
  write("words.spm", read("words.spm") + "x");
  Flags changed = words;
  for (const bool override : {false, true}) {
    if (override) changed["--override"] = {""};
    EXPECT_EQ(complaint(changed),
              "words.spm: has changed since the run was started, but a run's vocabulary cannot "
              "change; a new run needs an empty folder");
  }
  std::filesystem::remove(path("words.spm"));
  EXPECT_EQ(train(words).code, 0);
}

TEST_F(TrainCommandTest, PreparesAChangedCorpusAnewBeforeTheFirstCheckpoint) {
  ASSERT_EQ(train().code, 0);
  std::filesystem::remove(path("model/training/state.safetensors"));
  write("a.written", "3 May 1979\n4 May 1979\n5 May 1979\n");
  write("a.iso", "1979-05-03\n1979-05-04\n1979-05-05\n");
  const Outcome outcome = train();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("2 pairs for training, 1 for validation"), std::string::npos)
      << outcome.err;
}

TEST_F(TrainCommandTest, FailsWhereNoModelIsFinite) {
  const Flags exploding = {{"--learning-rate", {"1e30"}}};
  EXPECT_EQ(complaint(exploding),
            "training: diverged at step 2: the loss is no longer finite; there is no model yet; a "
            "lower learning rate or a longer warm-up may help");
  EXPECT_FALSE(std::filesystem::exists(path("model/model.safetensors")));
  EXPECT_EQ(train(exploding).err.find("nan"), std::string::npos);
  EXPECT_EQ(read("model/training.jsonl").find("nan"), std::string::npos);
  EXPECT_EQ(read("model/curves.svg").find("nan"), std::string::npos);
  // There is nothing to lose, so the next attempt needs no --override.
  EXPECT_EQ(train({{"--learning-rate", {"0.01"}}}).code, 0);
}

TEST_F(TrainCommandTest, FailsWhereALaterStepDivergesAndKeepsTheBestModel) {
  ASSERT_EQ(train().code, 0);
  const std::string before = weights();
  EXPECT_EQ(complaint({{"--learning-rate", {"1e30"}}, {"--steps", {"6"}}, {"--override", {""}}}),
            "training: diverged at step 5: the loss is no longer finite; the best model, from step "
            "3, is kept; a lower learning rate or a longer warm-up may help");
  EXPECT_TRUE(weights() == before);
  EXPECT_EQ(train({{"--steps", {"6"}}, {"--override", {""}}}).code, 0);
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
  EXPECT_NE(complaint({{"--train", {path("empty"), path("empty")}}}).find("empty"),
            std::string::npos);
  EXPECT_NE(complaint({{"--train", {path("blank"), path("blank")}}}).find("blank"),
            std::string::npos);
  EXPECT_NE(complaint({{"--train", {path("short"), path("short")}}}).find("short"),
            std::string::npos);
  EXPECT_NE(complaint({{"--train", {path("a.written"), path("short")}}}).find("short"),
            std::string::npos);
  EXPECT_NE(complaint({{"--valid", {path("blank"), path("blank")}}}).find("blank"),
            std::string::npos);
  EXPECT_EQ(complaint({{"--max-length", {"4"}}}),
            "batches: no pair of the corpus has at most 4 tokens on each side");
}

TEST_F(TrainCommandTest, AdaptsAModel) {
  EXPECT_EQ(train().code, 0);
  const Flags mine = {{"--model", {path("mine")}},
                      {"--pretrained", {path("model")}},
                      {"--vocabulary-kind", {}},
                      {"--width", {}},
                      {"--heads", {}},
                      {"--encoder-layers", {}},
                      {"--decoder-layers", {}},
                      {"--ffn", {}},
                      {"--keep-close", {"0.1"}},
                      {"--freeze", {"embeddings"}}};
  const Outcome outcome = train(mine);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(" learn, "), std::string::npos) << outcome.err;
  const auto with = [&](const std::string& flag, const std::vector<std::string>& values) {
    Flags flags = mine;
    flags[flag] = values;
    flags["--model"] = {path("other")};
    return flags;
  };
  EXPECT_EQ(complaint(with("--width", {"32"})), "--width is 32 but the pretrained model has 16");
  EXPECT_EQ(complaint(with("--pretrained", {path("absent")})), "absent: there is no such folder");
  EXPECT_NE(complaint(with("--freeze", {"head"})).find("no part of the model"), std::string::npos);
  EXPECT_EQ(complaint(with("--preset", {"tiny"}), 2),
            "--preset: the size is that of the pretrained model (see heed train --help)");
  EXPECT_EQ(complaint(with("--pretrained", {}), 2),
            "--freeze: only parts of a model that is given with --pretrained can stay as they are "
            "(see heed train --help)");
  for (const char* nonsense : {"-1", "x", "nan", ""})
    EXPECT_EQ(train(with("--keep-close", {nonsense})).code, 2) << nonsense;
  for (const char* nonsense : {"-1", "x", "0.5"})
    EXPECT_EQ(train(with("--adapter", {nonsense})).code, 2) << nonsense;
  for (const std::vector<std::string>& nonsense :
       {std::vector<std::string>{"0.3"}, {"a", "b"}, {"a", "1"}, {"a", "nan"}, {"a", "-0.3"}})
    EXPECT_EQ(train(with("--mix", nonsense)).code, 2) << nonsense.back();
  EXPECT_FALSE(std::filesystem::exists(path("other")));
}

TEST_F(TrainCommandTest, TrainsAdaptersThatOtherCommandsUse) {
  EXPECT_EQ(train().code, 0);
  const Outcome outcome = train({{"--model", {path("mine")}},
                                 {"--pretrained", {path("model")}},
                                 {"--adapter", {"4"}},
                                 {"--general", {path("a.written"), path("a.iso")}},
                                 {"--mix", {path("a.written"), path("a.iso"), "0.2"}},
                                 {"--vocabulary-kind", {}},
                                 {"--width", {}},
                                 {"--heads", {}},
                                 {"--encoder-layers", {}},
                                 {"--decoder-layers", {}},
                                 {"--ffn", {}}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("general cross-entropy"), std::string::npos) << outcome.err;
  const std::string adapter = path("mine/adapter.safetensors");
  write("text", "le lundi\n");
  const auto used = [&](const std::vector<std::string>& command, const std::string& file) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--adapter", file});
    return run(arguments);
  };
  const std::vector<std::vector<std::string>> commands = {
      {"translate", "--model", path("model"), "--input", path("text")},
      {"score", "--model", path("model"), "--source", path("text"), "--target", path("text")},
      {"attention", "--model", path("model"), "--source", "le lundi"},
      {"convert", path("model"), path("merged")}};
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(command.front());
    const Outcome refused = used(command, path("a.iso"));
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("a.iso: "), std::string::npos) << refused.err;
    EXPECT_EQ(used(command, path("absent")).code, 1);
    EXPECT_EQ(used(command, "").code, 2);
    const Outcome done = used(command, adapter);
    EXPECT_EQ(done.code, 0) << done.err;
  }
  const Outcome merged = run({"translate", "--model", path("merged"), "--input", path("text")}),
                beside = used(commands[0], adapter);
  EXPECT_EQ(merged.out, beside.out);
  // The merged model is another one.
  const Outcome twice =
      used({"translate", "--model", path("merged"), "--input", path("text")}, adapter);
  EXPECT_EQ(twice.code, 1);
  EXPECT_NE(twice.err.find("is an adapter of another model"), std::string::npos) << twice.err;
}

TEST_F(TrainCommandTest, RefusesAFolderOfSomethingElse) {
  std::filesystem::create_directory(path("model"));
  write("model/thesis.tex", "years of work");
  EXPECT_EQ(complaint({}), "model: not an empty folder, and not a run that can be continued");
  EXPECT_EQ(complaint({{"--override", {""}}}),
            "model: not an empty folder, and not a run that can be continued");
  EXPECT_EQ(read("model/thesis.tex"), "years of work");
  EXPECT_EQ(complaint({{"--model", {path("a.iso")}}}),
            "a.iso: is a file, but a folder was expected");
  EXPECT_EQ(complaint({{"--model", {path("a.iso/model")}}}),
            "a.iso/model: cannot be created: Not a directory");
}

TEST_F(TrainCommandTest, TakesAnEmptyFolderAndOneThatWasJustClaimed) {
  std::filesystem::create_directory(path("model"));
  EXPECT_EQ(train().code, 0);
  // What a run leaves if it is killed at once.
  std::filesystem::create_directories(path("killed/training"));
  write("killed/training/lock", "");
  write("killed/training/.heed-1-0.partial", "{");
  EXPECT_EQ(train({{"--model", {path("killed")}}}).code, 0);
}

TEST_F(TrainCommandTest, RefusesAChangedSettingByItsName) {
  ASSERT_EQ(train().code, 0);
  const std::string before = weights(), settings = read("model/training/settings.json");
  EXPECT_EQ(complaint({{"--learning-rate", {"0.5"}}, {"--steps", {"6"}}}),
            "model: the run was started with other settings: learning-rate (not set, now 0.5); "
            "--override continues with the new ones");
  EXPECT_EQ(complaint({{"--batch", {"600"}}, {"--seed", {"9"}}}),
            "model: the run was started with other settings: batch (512, now 600), seed (1, now "
            "9); --override continues with the new ones");
  EXPECT_TRUE(weights() == before);
  EXPECT_EQ(read("model/training/settings.json"), settings);
}

TEST_F(TrainCommandTest, TakesAChangedSettingOnPurpose) {
  ASSERT_EQ(train().code, 0);
  const Flags changed = {{"--learning-rate", {"0.5"}},
                         {"--batch", {"2000"}},
                         {"--dropout", {"0.25"}},
                         {"--steps", {"6"}},
                         {"--override", {""}}};
  const Outcome outcome = train(changed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("continuing at step 3"), std::string::npos);
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
  const Outcome outcome = train(
      {{"--train", {path("b.written"), path("b.iso")}}, {"--steps", {"6"}}, {"--override", {""}}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("; 2 pairs for training, 1 for validation"), std::string::npos)
      << outcome.err;
}

TEST_F(TrainCommandTest, RefusesChangesThatTheWeightsDoNotFit) {
  ASSERT_EQ(train().code, 0);
  const std::string before = weights();
  EXPECT_EQ(complaint({{"--width", {"32"}}, {"--override", {""}}}),
            "model: the run's weights do not fit the new model settings; a new run needs an empty "
            "folder");
  EXPECT_EQ(complaint({{"--vocabulary-kind", {"bpe"}}, {"--override", {""}}}),
            "model: a run's task and vocabulary cannot change: vocabulary-kind (characters, now "
            "bpe); a new "
            "run needs an empty folder");
  EXPECT_TRUE(weights() == before);
  EXPECT_EQ(train({{"--steps", {"6"}}}).code, 0);
}

// Until there is something to lose, a mistake can simply be corrected.
TEST_F(TrainCommandTest, PreparesAnewWhereNoStepWasSaved) {
  EXPECT_EQ(
      complaint({{"--vocabulary-kind", {"unigram"}}, {"--vocabulary", {"90000"}}}).substr(0, 22),
      "a vocabulary of 90000 ");
  EXPECT_EQ(train({{"--seed", {"4"}}}).code, 0);
}

TEST_F(TrainCommandTest, RefusesImpossibleSettings) {
  const auto usage = [&](const Flags& more) {
    const std::string said = complaint(more, 2), help = " (see heed train --help)";
    EXPECT_TRUE(said.ends_with(help)) << said;
    return said.substr(0, said.size() - std::min(said.size(), help.size()));
  };
  EXPECT_EQ(usage({{"--heads", {"3"}}}), "transformer: 3 heads do not divide a width of 16");
  EXPECT_EQ(usage({{"--heads", {"0"}}}),
            "--heads: \"0\" but a whole number from 1 to 65536 was expected");
  EXPECT_EQ(usage({{"--kv-heads", {"3"}}}), "transformer: 3 KV heads do not divide 2 heads");
  EXPECT_EQ(usage({{"--dropout", {"1"}}}),
            "--dropout: \"1\" but a number from 0 to less than 1 was expected");
  EXPECT_EQ(usage({{"--encoder-layers", {"1000000000"}}}),
            "--encoder-layers: \"1000000000\" but a whole number from 1 to 1000 was expected");
  EXPECT_EQ(usage({{"--batch", {"99"}}}),
            "--batch: 99 tokens, but sentences may have up to 100 (--max-length)");
  EXPECT_EQ(usage({{"--learning-rate", {"-1"}}}),
            "--learning-rate: \"-1\" but a number above 0 was expected");
  EXPECT_EQ(usage({{"--learning-rate", {"nan"}}}),
            "--learning-rate: \"nan\" but a number above 0 was expected");
  EXPECT_EQ(usage({{"--clip-norm", {"1e999"}}}),
            "--clip-norm: \"1e999\" but a number of at least 0 was expected");
  EXPECT_EQ(usage({{"--warm-up", {"many"}}}),
            "--warm-up: \"many\" but a whole number from 0 to 1099511627776 was expected");
  EXPECT_EQ(usage({{"--schedule", {"cosine"}}, {"--warm-up", {"5"}}}),
            "schedule: the learning rate reaches zero at step 3, but the warm-up takes 5 steps");
  EXPECT_EQ(usage({{"--schedule", {"cosine"}}, {"--steps", {}}, {"--epochs", {"1"}}}),
            "schedule: decay to zero needs a number of steps");
  EXPECT_EQ(usage({{"--label-smoothing", {"1.5"}}}),
            "--label-smoothing: \"1.5\" but a number from 0 to less than 1 was expected");
  EXPECT_EQ(usage({{"--criterion", {"bleu"}}, {"--valid-lines", {"0"}}}),
            "--criterion: bleu needs translations, but --valid-lines is 0");
  EXPECT_EQ(usage({{"--width", {"deep"}}}),
            "--width: \"deep\" but a whole number from 1 to 65536 was expected");
  EXPECT_EQ(usage({{"--norm", {"between"}}}), "--norm: \"between\" but post or pre was expected");
  EXPECT_EQ(usage({{"--gated", {"perhaps"}}}),
            "--gated: \"perhaps\" but true or false was expected");
  EXPECT_EQ(usage({{"--hidden", {"5"}}}), "--hidden is not a setting of the model transformer");
  EXPECT_EQ(usage({{"--preset", {"rnn"}}}), "--decoder-layers is not a setting of the model rnn");
  EXPECT_FALSE(std::filesystem::exists(path("model")));
  EXPECT_EQ(complaint({{"--memory", {"1M"}}}).substr(0, 28), "training: 1 MB are not enoug");
  // It has not left a folder that would block the next run.
  EXPECT_EQ(train().code, 0);
}

// Whether the settings fit depends on the preset that the corpus gets.
TEST_F(TrainCommandTest, JudgesSettingsOnlyWhereEveryPresetWouldRefuseThem) {
  const Flags tiny = {{"--width", {}}, {"--heads", {"256"}}, {"--ffn", {}}};
  EXPECT_EQ(complaint(tiny), "transformer: 256 heads do not divide a width of 128");
  Flags any = tiny;
  any["--heads"] = {"300"};
  EXPECT_EQ(complaint(any, 2),
            "transformer: 300 heads do not divide a width of 128 (see heed train --help)");
}

TEST_F(TrainCommandTest, WrongUsageExitsWith2) {
  const auto usage = [&](const Flags& more) { return complaint(more, 2); };
  EXPECT_EQ(usage({{"--wdith", {""}}}), "there is no flag \"--wdith\" (see heed train --help)");
  for (const char* time : {"soon", "-3s", "0", "5x", "m", ""})
    EXPECT_NE(usage({{"--time", {std::string("=") + time}}})
                  .find("but a time such as 90s, 30m or 2h was expected"),
              std::string::npos)
        << time;
  EXPECT_EQ(
      usage({{"--memory", {"lots"}}}),
      "--memory: \"lots\" but a size such as 500M or 2G was expected (see heed train --help)");
  const auto of_flag = [&](const std::string& flag, const std::string& value) {
    const std::string said = usage({{flag, {value}}}), begin = flag + ": \"" + value + "\" but ";
    EXPECT_TRUE(said.starts_with(begin)) << said;
    return said.substr(std::min(begin.size(), said.size()),
                       said.find(" was expected") - begin.size());
  };
  EXPECT_EQ(of_flag("--steps", "0"), "a whole number of at least 1");
  EXPECT_EQ(of_flag("--steps", "many"), "a whole number of at least 1");
  EXPECT_EQ(of_flag("--steps", "99999999999999999999"),
            "a whole number from 1 to 9223372036854775807");
  EXPECT_EQ(usage({{"--vocabulary", {"3"}}}),
            "--vocabulary: 3 but 0 or at least 4 was expected (see heed train --help)");
  EXPECT_EQ(of_flag("--patience", "99999999999"), "a whole number from 0 to 2147483647");
  EXPECT_EQ(of_flag("--seed", "-1"), "a whole number of at least 0");
  EXPECT_EQ(of_flag("--sampling", "nan"), "a number from 0 to 1");
  EXPECT_EQ(of_flag("--threads", "-1"), "a whole number from 0 to 1024");
  EXPECT_EQ(of_flag("--preset", "gigantic"), "tiny, small, base or rnn");
  EXPECT_EQ(of_flag("--format", "doc"), "text, tsv, jsonl, tmx, po or mo");
  EXPECT_EQ(of_flag("--criterion", "beauty"),
            "cross-entropy, perplexity, bleu, chrf, accuracy or f1");
  EXPECT_EQ(of_flag("--train", "--model"), "a file");
  EXPECT_EQ(of_flag("--model", "--override"), "a folder");
  EXPECT_EQ(run({"train", "--train", "a", "b", "--model", ""}).err,
            "heed: --model: \"\" but a folder was expected (see heed train --help)\n");
  EXPECT_NE(usage({{"--train", {}}}).find("--train is required"), std::string::npos);
  EXPECT_NE(usage({{"--model", {}}}).find("--model is required"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("model")));
}

// The flags of `heed train` as the parser understands them.
class ParsedFlags {
 public:
  explicit ParsedFlags(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "train");
    std::ranges::reverse(arguments);
    try {
      program_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      complaint = error.what();
    }
  }
  ParsedFlags(const ParsedFlags&) = delete;
  ParsedFlags& operator=(const ParsedFlags&) = delete;

  const TrainingSettings& settings() const { return command_.settings(); }
  std::string printed() const {
    std::ostringstream out, err;
    EXPECT_EQ(command_.run({out, err, {}}), 0);
    EXPECT_EQ(err.str(), "");
    return out.str();
  }
  std::vector<const CLI::Option*> flags() const {
    const CLI::App& command = *program_.get_subcommand("train");
    return command.get_options(
        [](const CLI::Option* option) { return option->get_configurable(); });
  }

  std::string complaint;

 private:
  CLI::App program_;
  TrainCommand command_{program_};
};

// Arguments that set the flag to another value than its default.
std::vector<std::string> another_value(const CLI::Option& flag,
                                       const std::vector<std::string>& others) {
  std::vector<std::vector<std::string>> candidates = {{"7"},     {"0.25"}, {"300"},  {"2h"},
                                                      {"a b#c"}, {"true"}, {"false"}};
  std::string names = flag.get_type_name();
  for (size_t end; (end = names.find('|')) != std::string::npos; names.erase(0, end + 1))
    candidates.push_back({names.substr(0, end)});
  candidates.push_back({names});
  if (flag.get_expected_min() == 0) candidates = {{}};
  if (flag.get_type_name() == "FILES") candidates = {{"a b.en", "\"c\"'d'"}, {"a b.en", "0.3"}};
  const ParsedFlags without(others);
  for (std::vector<std::string> arguments : candidates) {
    arguments.insert(arguments.begin(), flag.get_name());
    std::vector<std::string> all = others;
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ParsedFlags with(all);
    if (with.complaint.empty() && !(with.settings() == without.settings())) return arguments;
  }
  return {};
}

TEST_F(TrainCommandTest, ReadsEveryFlagAsItIsPrinted) {
  const ParsedFlags all({"--print-config"});
  EXPECT_GT(all.flags().size(), 60u);
  for (const CLI::Option* flag : all.flags()) {
    SCOPED_TRACE(flag->get_name());
    const bool of_rnn = flag->get_group() == "Model with --preset rnn";
    std::vector<std::string> arguments = {"--print-config"};
    if (of_rnn) arguments.insert(arguments.end(), {"--preset", "rnn"});
    // Other flags that are needed for a different value to make sense.
    if (flag->get_group() == "Model with --task language")
      arguments.insert(arguments.end(), {"--task", "language"});
    const bool of_encoder = flag->get_name() == "--pretrained" || flag->get_name() == "--cased" ||
                            flag->get_group() == "Model with --task classify or masked";
    if (of_encoder) arguments.insert(arguments.end(), {"--task", "classify"});
    const bool adapts = flag->get_name() == "--freeze" || flag->get_name() == "--keep-close" ||
                        flag->get_name() == "--adapter";
    if (adapts) arguments.insert(arguments.end(), {"--pretrained", "x"});
    if (flag->get_name() == "--guide-weight") arguments.insert(arguments.end(), {"--guide", "x"});
    if (flag->get_name() == "--valid-tags")
      arguments.insert(arguments.end(), {"--tags", "x", "--valid", "y"});
    if (flag->get_name() == "--heads") arguments.insert(arguments.end(), {"--width", "700"});
    if (flag->get_name() == "--kv-heads")
      arguments.insert(arguments.end(), {"--heads", "7", "--width", "700"});
    if (flag->get_name() == "--width") arguments.insert(arguments.end(), {"--heads", "1"});
    const std::vector<std::string> more = another_value(*flag, arguments);
    ASSERT_FALSE(more.empty());
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ParsedFlags given(arguments);
    const std::string text = given.printed();
    EXPECT_NE(text.find(flag->get_single_name() + " = "), std::string::npos) << text;
    write("flags", text);
    const ParsedFlags again({"--print-config", "--config", path("flags")});
    EXPECT_EQ(again.complaint, "");
    EXPECT_EQ(again.printed(), text);
    EXPECT_TRUE(again.settings() == given.settings()) << text;
  }
}

TEST_F(TrainCommandTest, ReadsSentencesToWatchAsTheyArePrinted) {
  const std::vector<std::string> given = {"--print-config", "--watch", "say \"no\", [or] = #1\t\\",
                                          "--watch",        "--odd",   "--watch=--odder",
                                          "--watch-file",   "a b.tsv"};
  const ParsedFlags flags(given);
  EXPECT_EQ(flags.complaint, "");
  EXPECT_EQ(flags.settings().watch,
            (std::vector<std::string>{"say \"no\", [or] = #1\t\\", "--odd", "--odder"}));
  write("flags", flags.printed());
  const ParsedFlags again({"--print-config", "--config", path("flags")});
  EXPECT_EQ(again.complaint, "");
  EXPECT_TRUE(again.settings() == flags.settings()) << flags.printed();
}

TEST_F(TrainCommandTest, WatchesSentences) {
  write("watch.tsv", "12 May 1980\t1980-05-12\n3 June 1999\n");
  EXPECT_EQ(train({{"--watch", {"1 May 2001"}}, {"--watch-file", {path("watch.tsv")}}}).code, 0);
  const Outcome seen = run({"attention", "--model", path("model"), "--over-time", "--json", "-"});
  EXPECT_EQ(seen.code, 0) << seen.err;
  EXPECT_EQ(std::ranges::count(seen.out, '\n'), 3);
  EXPECT_TRUE(seen.out.starts_with("{\"step\":3,\"source\":{\"text\":\"1 May 2001\"")) << seen.out;
  EXPECT_NE(seen.out.find("\"target\":{\"text\":\"1980-05-12\""), std::string::npos);
}

TEST_F(TrainCommandTest, RefusesWhatItCannotWatch) {
  EXPECT_EQ(complaint({{"--watch", {" "}}}), "--watch: the sentence to watch is empty");
  EXPECT_EQ(complaint({{"--watch-file", {path("none")}}}),
            "none: cannot be read: No such file or directory");
  EXPECT_EQ(complaint({{"--watch", {std::string(150, '1')}}}),
            "--watch: the sentence to watch has 152 tokens with its end, but the model takes at "
            "most 100");
  // One sentence for each flag: a forgotten quotation mark does not watch single words.
  EXPECT_EQ(train({{"--watch", {"1", "May"}}}).code, 2);
}

TEST_F(TrainCommandTest, TrainsWithTheFlagsOfAFile) {
  ASSERT_EQ(train().code, 0);
  const std::string expected = weights();
  std::filesystem::rename(path("model"), path("other"));
  const Outcome printed = train({{"--print-config", {""}}});
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.err, "");
  EXPECT_FALSE(std::filesystem::exists(path("model")));
  write("flags", printed.out);
  EXPECT_EQ(run({"train", "--config", path("flags")}).code, 0);
  EXPECT_TRUE(weights() == expected);
  const Outcome again = run({"train", "--config", path("flags"), "--batch", "600"});
  EXPECT_NE(again.err.find("batch (512, now 600)"), std::string::npos) << again.err;
}

TEST_F(TrainCommandTest, RefusesAFileOfFlagsThatItDoesNotUnderstand) {
  write("flags", "steps = 3\nbogus = 1\n");
  EXPECT_EQ(complaint({{"--config", {path("flags")}}}, 2),
            "flags:2: unknown flag \"--bogus\" (see heed train --help)");
  write("flags", "seed = 3\nsave-every = 0\n");
  EXPECT_EQ(
      complaint({{"--config", {path("flags")}}}, 2),
      "flags:2: --save-every: \"0\" but a whole number of at least 1 was expected (see heed train "
      "--help)");
  EXPECT_EQ(complaint({{"--config", {path("absent")}}}),
            "absent: cannot be read: No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(path("model")));
}

}  // namespace
}  // namespace heed
