// The flags of heed train: what they refuse, and how they are printed and read again.
#include <algorithm>
#include <sstream>

#include "heed/app/cli/train_command.h"
#include "train_command_test.h"

namespace heed {
namespace {

using testing::Outcome;
using testing::TrainCommandTest;

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

  std::map<std::string, const CLI::Option*> by_name() const {
    std::map<std::string, const CLI::Option*> named;
    for (const CLI::Option* flag : flags()) named[flag->get_name()] = flag;
    return named;
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

TEST_F(TrainCommandTest, HelpSaysWhichModelsHaveAFlag) {
  const ParsedFlags parsed({"--print-config"});
  const auto flags = parsed.by_name();
  EXPECT_EQ(flags.at("--layers")->get_group(), "Model with --preset rnn");
  EXPECT_EQ(flags.at("--layers")->get_description(),
            "Layers of encoder and decoder; also --task language, classify, masked");
  // Under the general heading, nothing needs to be said.
  EXPECT_EQ(flags.at("--width")->get_group(), "Model (overrides the preset)");
  EXPECT_EQ(flags.at("--width")->get_description(), "Width of the model (d_model)");
}

// N for whole numbers and X for others, as in the other commands, and folders for completions.
TEST_F(TrainCommandTest, HelpNamesValuesAlike) {
  const ParsedFlags parsed({"--print-config"});
  const auto flags = parsed.by_name();
  for (const auto& [name, flag] : flags)
    for (const char* other : {"INT", "UINT", "FLOAT", "NUMBER", "FOLDER"})
      EXPECT_NE(flag->get_type_name(), other) << name;
  EXPECT_EQ(flags.at("--pretrained")->get_type_name(), "DIR");
  EXPECT_EQ(flags.at("--batch")->get_type_name(), "N");
  EXPECT_EQ(flags.at("--dropout")->get_type_name(), "X");
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
