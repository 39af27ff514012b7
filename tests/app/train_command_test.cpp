#include "heed/app/cli/train_command.h"

#include <algorithm>

#include "heed/folders/model_folder.h"
#include "train_command_test.h"

namespace heed {
namespace {

using testing::Outcome;
using testing::TrainCommandTest;

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

}  // namespace
}  // namespace heed
