// Files that hold nothing or next to nothing, and numbers that are none, in every command.
#include <CLI/CLI.hpp>
#include <limits>
#include <sstream>

#include "heed/app/cli/attend_command.h"
#include "heed/app/cli/convert_command.h"
#include "heed/app/cli/corpus_command.h"
#include "heed/app/cli/demo_command.h"
#include "heed/app/cli/evaluate_command.h"
#include "heed/app/cli/inspect_command.h"
#include "heed/app/cli/score_command.h"
#include "heed/app/cli/train_command.h"
#include "heed/app/cli/translate_command.h"
#include "heed/folders/model_folder.h"
#include "heed/weights/tensor_file.h"
#include "program_test.h"
#include "small_vocabulary.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::Outcome;
using testing::random_tensor;
using testing::small_vocabulary;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

class EdgesTest : public testing::ProgramTest {
 protected:
  // Saves a model whose weights `change` has seen.
  void save_model(const std::string& name, WeightStorage storage,
                  const std::function<void(const std::string&, std::span<float>)>& change) const {
    const int64_t vocabulary = small_vocabulary().size();
    const ModelConfig config = TransformerConfig{.source_vocabulary = vocabulary,
                                                 .target_vocabulary = vocabulary,
                                                 .encoder_layers = 1,
                                                 .decoder_layers = 1,
                                                 .width = 32,
                                                 .ffn = 48,
                                                 .heads = 2};
    Rng rng(5);
    const std::unique_ptr<Model> model = make_model(config, rng);
    model->visit_parameters({}, [&](const std::string& parameter, Tensor& value) {
      change(parameter, value.span<float>());
    });
    std::filesystem::create_directory(path(name));
    save_model_description(path(name), config, small_vocabulary(), small_vocabulary());
    save_weights(path(name), parameters_of(*model), storage);
  }
  void save_model() const {
    save_model("model", WeightStorage::float32, [](const std::string&, std::span<float>) {});
  }

  // The words of a command; those that begin with @ are files in the folder.
  Outcome run_words(const std::string& command) const {
    std::istringstream words(command);
    std::vector<std::string> arguments;
    for (std::string word; words >> word;)
      arguments.push_back(word.starts_with('@') ? path(word.substr(1)) : word);
    return run(arguments);
  }

  // Fails with one sentence that has this in it.
  void expect_failure(const std::string& command, const std::string& part) const {
    const Outcome result = run_words(command);
    EXPECT_EQ(result.code, 1) << command;
    EXPECT_EQ(result.out, "") << command;
    EXPECT_NE(result.err.find(part), std::string::npos) << command << ": " << result.err;
    const size_t sentence = result.err.find("heed: ");
    EXPECT_EQ(result.err.find('\n', sentence), result.err.size() - 1) << result.err;
  }

  void expect_output(const std::string& command, const std::string& out) const {
    const Outcome result = run_words(command);
    EXPECT_EQ(result.code, 0) << command << ": " << result.err;
    EXPECT_EQ(result.out, out) << command;
  }
};

TEST_F(EdgesTest, OfFilesThatAreEmpty) {
  save_model();
  write("f", "");
  for (const char* more : {"", " --json --alignment soft", " --sample", " --prefix @f",
                           " --nbest 2", " --int8", " --beam 1 --scores"})
    expect_output("translate --model @model --input @f" + std::string(more), "");
  expect_failure("score --model @model --source @f --target @f", "has no lines");
  expect_failure("evaluate --hypothesis @f --reference @f", "has no lines");
  expect_failure("evaluate --hypothesis @f --hypothesis @f --reference @f --json", "has no lines");
  expect_failure("train --train @f @f --model @new", "there are no sentence pairs");
  expect_failure("train --train @f @f --valid @f @f --model @new", "there are no sentence pairs");
  expect_failure("corpus --input @f @f", "there are no sentence pairs");
  for (const char* format : {"tsv", "jsonl", "po"})
    expect_failure(fmt::format("corpus --input @f --format {}", format),
                   "there are no sentence pairs");
  expect_failure("corpus --input @f --format tmx", "is not TMX");
  expect_failure("corpus --input @f --format mo", "is not an MO file");
  expect_failure("attend --input @f --output @out", "0 bytes long");
  for (const char* command : {"translate --model @f", "inspect @f", "convert @f @new",
                              "score --model @f --source @f --target @f"})
    expect_failure(command, path("f"));
  EXPECT_EQ(run_words("train --config @f").code, 2);
}

TEST_F(EdgesTest, OfFilesOfOneEmptyLine) {
  save_model();
  write("f", "\n");
  expect_output("translate --model @model --input @f", "\n");
  expect_output("translate --model @model --input @f --nbest 2", "0 |||  ||| 0\n");
  expect_output("translate --model @model --input @f --json",
                "{\"source\":\"\",\"translations\":[]}\n");
  expect_output("translate --model @model --input @f --prefix @f --sample", "\n");
  const Outcome scored = run_words("score --model @model --source @f --target @f");
  EXPECT_EQ(scored.code, 0);
  EXPECT_LT(std::stod(scored.out), 0);  // of the end alone
  const Outcome evaluated = run_words(
      "evaluate --hypothesis @f --reference @f --metrics bleu,chrf,chrf++,ter,accuracy --sentence");
  EXPECT_EQ(evaluated.out, "0.00\t0.00\t0.00\t0.00\t100.00\n") << evaluated.err;
  expect_failure("train --train @f @f --model @new", "none of the 1 sentence pairs can be used");
  expect_failure("corpus --input @f @f", "none of the 1 sentence pairs can be used");
  for (const char* format : {"jsonl", "po"})
    expect_failure(fmt::format("corpus --input @f --format {}", format),
                   "there are no sentence pairs");
  for (const char* format : {"tsv", "tmx", "mo"})
    expect_failure(fmt::format("corpus --input @f --format {}", format), path("f"));
  expect_failure("attend --input @f --output @out", "1 bytes long");
}

TEST_F(EdgesTest, OfFilesOfOneLine) {
  save_model();
  for (const char* text : {"ba", "ba\n", "ba\r\n"}) {
    write("f", text);
    const Outcome translated = run_words("translate --model @model --input @f --max-length 3");
    EXPECT_EQ(translated.code, 0);
    EXPECT_EQ(std::ranges::count(translated.out, '\n'), 1);
    const Outcome scored = run_words("score --model @model --source @f --target @f");
    EXPECT_EQ(scored.code, 0);
    EXPECT_EQ(std::ranges::count(scored.out, '\n'), 1);
    const Outcome evaluated = run_words("evaluate --hypothesis @f --reference @f --metrics ter");
    EXPECT_EQ(evaluated.code, 0);
    EXPECT_NE(evaluated.out.find(" = 0.00"), std::string::npos) << evaluated.out;
    EXPECT_EQ(run_words("corpus --input @f @f").code, 0);
    expect_failure("train --train @f @f --model @new",
                   "one sentence pair is not enough for training and validation");
    std::filesystem::remove_all(path("new"));
  }
}

TEST_F(EdgesTest, OfEmptyFolders) {
  std::filesystem::create_directory(path("none"));
  write("f", "ba\n");
  for (const char* command :
       {"inspect @none", "translate --model @none", "score --model @none --source @f --target @f",
        "generate --model @none", "attention --model @none", "convert @none @new"})
    expect_failure(command,
                   "it is not a model folder of CTranslate2, Hugging Face, heed or Marian");
  for (const char* command :
       {"train --train @none @none --model @new", "corpus --input @none @none",
        "evaluate --hypothesis @none --reference @none"})
    expect_failure(command, "is a folder, but a file was expected");
  expect_failure("corpus --installed de --root @none --output @a @b", "there are no messages");
}

// One weight is enough, wherever it stands and however the weights are stored.
TEST_F(EdgesTest, AModelWithAWeightThatIsNoNumberIsRefused) {
  write("f", "ba\n");
  for (const WeightStorage storage : {WeightStorage::float32, WeightStorage::int8})
    for (const float poison : {nan, infinity, -infinity})
      for (const char* array : {"model.shared.weight", "model.decoder.layers.0.fc1.bias"}) {
        save_model("model", storage, [&](const std::string& name, std::span<float> weights) {
          if (name == array) weights[1] = poison;
        });
        for (const char* command :
             {"translate --model @model --input @f", "translate --model @model --input @f --int8",
              "score --model @model --source @f --target @f", "inspect @model",
              "convert @model @new", "convert --float16 @model @new"})
          expect_failure(command, "but finite numbers were expected");
        std::filesystem::remove_all(path("model"));
      }
}

// Weights may be finite and still so large that nothing can be computed with them.
TEST_F(EdgesTest, AModelThatLeavesTheRangeOfItsNumbersIsReported) {
  write("f", "ba ko\n");
  for (const char* array : {"model.shared.weight", "model.encoder.layers.0.fc2.weight",
                            "model.decoder.layers.0.encoder_attn.v_proj.weight"}) {
    save_model("model", WeightStorage::float32,
               [&](const std::string& name, std::span<float> weights) {
                 if (name == array)
                   for (float& weight : weights) weight *= 1e37f;
               });
    for (const char* more : {"", " --beam 1", " --sample", " --int8", " --model @model"})
      expect_failure("translate --model @model --input @f" + std::string(more), "are not numbers");
    expect_failure("score --model @model --source @f --target @f", "are not numbers");
    std::filesystem::remove_all(path("model"));
  }
}

TEST_F(EdgesTest, AttendRefusesWhatIsNoNumberInAnyArray) {
  for (const char* score : {"scaled-dot", "bilinear", "additive", "gaussian"})
    for (const double poison : {double{nan}, double{infinity}, -double{infinity}}) {
      std::map<std::string, Tensor> arrays = {{"queries", random_tensor({2, 4}, 1)},
                                              {"keys", random_tensor({3, 4}, 2)},
                                              {"values", random_tensor({3, 4}, 3)},
                                              {"output.gradient", random_tensor({2, 4}, 4)}};
      if (score == std::string("bilinear")) arrays["score.weight"] = random_tensor({4, 4}, 5);
      if (score == std::string("gaussian")) arrays["score.bandwidth"] = Tensor::full({1}, 1.5);
      if (score == std::string("additive")) {
        arrays["score.query.weight"] = random_tensor({5, 4}, 5);
        arrays["score.key.weight"] = random_tensor({5, 4}, 6);
        arrays["score.value.weight"] = random_tensor({5}, 7);
      }
      for (const auto& [poisoned, unused] : arrays) {
        TensorFileWriter writer;
        for (const auto& [name, array] : arrays) {
          Tensor copy = array.clone();
          if (name == poisoned) copy.span<float>().back() = static_cast<float>(poison);
          writer.add(name, copy);
        }
        writer.save(path("in"));
        expect_failure(fmt::format("attend --input @in --output @out --score {}", score),
                       fmt::format("array \"{}\" holds", poisoned));
      }
    }
}

// Every number that a flag takes, whether whole or real, must be one.
template <typename Command>
void add_number_flags(std::vector<std::vector<std::string>>& flags,
                      const std::vector<std::string>& needed) {
  CLI::App program;
  const Command command(program);
  const CLI::App& built = *program.get_subcommands([](const CLI::App*) { return true; }).front();
  const std::set<std::string> number_types = {"INT", "UINT", "FLOAT", "N",
                                              "X",   "P",    "SIZE",  "TIME"};
  for (const CLI::Option* option : built.get_options()) {
    if (!number_types.contains(option->get_type_name())) continue;
    std::vector<std::string> words = {built.get_name()};
    words.insert(words.end(), needed.begin(), needed.end());
    words.push_back(option->get_name());
    flags.push_back(words);
  }
}

TEST_F(EdgesTest, NoFlagTakesForANumberWhatIsNone) {
  std::vector<std::vector<std::string>> flags;
  add_number_flags<TrainCommand>(flags, {"--train", "a", "b", "--model", "m"});
  add_number_flags<TranslateCommand>(flags, {"--model", "m", "--alignment", "soft"});
  add_number_flags<ScoreCommand>(flags, {"--model", "m", "--source", "a", "--target", "b"});
  add_number_flags<EvaluateCommand>(flags, {"--hypothesis", "a", "--reference", "b"});
  add_number_flags<InspectCommand>(flags, {"m"});
  add_number_flags<AttendCommand>(flags, {"--input", "a", "--output", "b"});
  add_number_flags<CorpusCommand>(flags, {"--input", "a", "b"});
  add_number_flags<ConvertCommand>(flags, {"m", "n"});
  add_number_flags<DemoCommand>(flags, {});
  EXPECT_GE(flags.size(), 70u);
  for (const std::vector<std::string>& flag : flags)
    for (const char* value :
         {"nan", "-nan", "inf", "-inf", "infinity", "1e999", "-1e999", "NaN", ""}) {
      std::vector<std::string> words = flag;
      words.back() += fmt::format("={}", value);
      const Outcome result = run(words);
      EXPECT_EQ(result.code, 2) << words.front() << " " << words.back();
      EXPECT_TRUE(result.err.starts_with(fmt::format("heed: {}: ", flag.back())))
          << words.back() << ": " << result.err;
      EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    }
}

// JSON has no such numbers, and of those that are too large it is the line that is left out.
TEST_F(EdgesTest, NumbersBesideTheTextOfJsonlMatterOnlyIfTheyAreNone) {
  write(
      "good.jsonl",
      "{\"source\":\"a\",\"target\":\"b\",\"score\":1e999}\n{\"source\":\"c\",\"target\":\"d\"}\n");
  const Outcome dropped = run_words("corpus --input @good.jsonl --json");
  EXPECT_EQ(dropped.code, 0) << dropped.err;
  EXPECT_NE(dropped.out.find("\"number_out_of_range\""), std::string::npos) << dropped.out;
  for (const char* number : {"NaN", "Infinity", "-Infinity", "nan"}) {
    write("bad.jsonl", fmt::format("{{\"source\":\"a\",\"target\":\"b\",\"score\":{}}}\n", number));
    expect_failure("corpus --input @bad.jsonl", "line 1: a JSON object was expected");
  }
}

}  // namespace
}  // namespace heed
