#include "heed/app/cli/train_command.h"

#include <algorithm>

#include "heed/app/cli/field_text.h"
#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/train_presets.h"
#include "heed/app/cli/training_run.h"

namespace heed {

namespace {

constexpr const char* worked_example =
    R"(Without other flags, the sizes of the vocabulary and of the model, the schedule and the sentences to validate
with are picked from the corpus, and training ends when ten validations in a row were not the best.
The same command continues a run that was interrupted.

Example: learn to translate from a.en to a.de for half an hour, then translate.

  $ heed train --train a.en a.de --model en-de --time 30m
  $ heed translate --model en-de < text.en > text.de
)";

constexpr int default_patience = 10;

// A flag for each setting of a configuration; what is given is kept as text until the preset is known.
template <typename Config>
void add_setting_flags(CLI::App& command, std::map<std::string, std::string>& given,
                       const std::string& group) {
  Config defaults;
  visit_fields(defaults, [&]<typename Field>(const char* name, Field&, const char* what) {
    const std::string flag = fmt::format("--{}", name);
    if (command.get_option_no_throw(flag) != nullptr) return;  // several kinds of models have it
    command
        .add_option_function<std::string>(
            flag, [&given, name](const std::string& text) { given[name] = text; }, what)
        ->type_name(choices_of_field<Field>())
        ->group(group);
  });
}

// A flag for an enumeration, by name.
template <typename Enum>
void add_choice(CLI::App& command, const std::string& flag, Enum& value, const std::string& what) {
  command
      .add_option_function<std::string>(
          flag, [&value, flag](const std::string& text) { set_field(flag.substr(2), text, value); }, what)
      ->type_name(choices_of_field<Enum>())
      ->default_str(text_of_field(value))
      ->check([](const std::string& text) {
        const auto known = [&](const auto& named) { return text == named.name; };
        return std::ranges::any_of(EnumNames<Enum>::values, known)
                   ? std::string()
                   : fmt::format("{} but {} was expected", quote(text), choices_of_field<Enum>());
      });
}

}  // namespace

TrainCommand::TrainCommand(CLI::App& program)
    : command_(*program.add_subcommand("train", "Learn to translate from sentence pairs")) {
  CLI::App& command = command_;
  command.footer(worked_example);
  command.set_config("--config", "", "Read flags from a file, as --print-config prints them");
  command.add_flag("--print-config", print_config_, "Print the flags as a file that --config reads, and end")
      ->configurable(false);
  add_corpus_flags(command);
  add_vocabulary_flags(command);
  add_model_flags(command);
  add_learning_flags(command);
  add_validation_flags(command);
  add_run_flags(command);
  // A script may give its own flags and then those of its user.
  for (CLI::Option* option : command.get_options())
    if (option->get_expected_max() == 1) option->take_last();
  command.final_callback([this, &command] { read_budget(command); });
}

void TrainCommand::add_corpus_flags(CLI::App& command) {
  command
      .add_option("--train", options_.train,
                  "Sentence pairs: two text files, or TSV, JSONL, TMX, PO, MO; also .gz and .zst")
      ->required()
      ->type_name("FILES");
  command
      .add_option("--valid", options_.valid, "Sentence pairs to validate with (without: some are held out)")
      ->type_name("FILES");
  command.add_option("--format", options_.format, "Of the files, where their names do not say it")
      ->check(CLI::IsMember({"text", "tsv", "jsonl", "tmx", "po", "mo"}));
  command.add_option("--from", options_.from, "Source language of TMX, source key of JSONL");
  command.add_option("--to", options_.to, "Target language of TMX, target key of JSONL");
  command.add_option("--model", model_folder_, "Folder for the model and the state of the run")
      ->required()
      ->type_name("FOLDER");
  command.add_option("--longest", options_.longest, "Leave out pairs with more tokens on a side")
      ->check(CLI::Range(4, 100000))
      ->capture_default_str();
}

void TrainCommand::add_vocabulary_flags(CLI::App& command) {
  const std::string group = "Vocabulary";
  command.add_option("--vocabulary", options_.vocabulary.size, "Size (0: picked from the corpus)")
      ->check(CLI::Range(0, 1000000))
      ->group(group);
  add_choice(command, "--vocabulary-kind", options_.vocabulary.kind, "How words are cut into pieces");
  command.get_option("--vocabulary-kind")->group(group);
  command.add_flag("--separate-vocabularies", options_.separate, "One per side instead of one for both")
      ->group(group);
  command
      .add_option("--vocabulary-files", options_.vocabulary_files,
                  "SentencePiece models to use: one for both sides, or two")
      ->expected(1, 2)
      ->type_name("FILES")
      ->group(group);
  command
      .add_flag("--tokenised", options_.vocabulary.tokenised,
                "The text is tokenised: keep its spaces as they are")
      ->group(group);
  command
      .add_option("--sampling", options_.sampling,
                  "Cut words at random: alpha of unigram, dropped merges of BPE")
      ->check(CLI::Range(0.0, 1.0))
      ->group(group);
}

void TrainCommand::add_model_flags(CLI::App& command) {
  command
      .add_option("--preset", options_.preset,
                  "Size of the model and settings that suit it (without: by the size of the corpus)")
      ->check(CLI::IsMember(std::vector<std::string>(preset_names.begin(), preset_names.end())));
  add_setting_flags<TransformerConfig>(command, options_.model, "Model (instead of the preset's)");
  add_setting_flags<RnnConfig>(command, options_.model, "Model with --preset rnn");
}

void TrainCommand::add_learning_flags(CLI::App& command) {
  const std::string group = "Learning (instead of the preset's)";
  add_setting_flags<LearnerConfig>(command, options_.learning, group);
  command.add_option("--batch", options_.batch_tokens, "Tokens of a batch, on the longer side")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str()
      ->group(group);
  command.add_option("--memory", memory_, "Fit the batch to so much memory, e.g. 2G")->group(group);
  command.add_option("--accumulate", options_.trainer.accumulate, "Batches per step")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--shards", options_.trainer.shards,
                  "Parts of a batch that threads can share; decides the result, unlike --threads")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->group(group);
}

void TrainCommand::add_validation_flags(CLI::App& command) {
  const std::string group = "Validation";
  command.add_option("--validate-every", options_.trainer.validate_every, "Steps (0: once per epoch)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
  add_choice(command, "--criterion", options_.trainer.criterion, "What the best model is judged by");
  command.get_option("--criterion")->group(group);
  command
      .add_option("--patience", options_.trainer.patience,
                  "End after so many validations without a better one (0: never)")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command
      .add_option("--average-last", options_.trainer.average_last,
                  "Average the weights of so many last validations at the end")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command
      .add_option("--valid-lines", options_.valid_lines,
                  "Translate so many lines at each validation (0: none)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
  command.add_option("--valid-beam", options_.valid_beam, "Beam of these translations")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->group(group);
  command.add_option("--samples", options_.samples, "Show so many of these translations")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(group);
}

void TrainCommand::add_run_flags(CLI::App& command) {
  const std::string group = "Run";
  command.add_option("--steps", options_.trainer.steps, "End after so many steps")
      ->check(CLI::PositiveNumber)
      ->group(group);
  command.add_option("--epochs", options_.trainer.epochs, "End after so many passes over the corpus")
      ->check(CLI::PositiveNumber)
      ->group(group);
  command.add_option("--time", time_, "End after so long, e.g. 90s, 30m, 2h")->group(group);
  command
      .add_option("--save-every", options_.trainer.save_every,
                  "Steps between checkpoints, beside those of validations")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(group);
  command.add_option("--threads", options_.threads, "Workers (0: one per core); does not change the result")
      ->envname("HEED_THREADS")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str()
      ->group(group);
  command.add_option("--seed", options_.trainer.learner.seed, "Of everything random")
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--override", options_.change_settings,
                "Continue a run with other settings than it was begun with")
      ->group(group);
}

void TrainCommand::read_budget(const CLI::App& command) {
  options_.folder = model_folder_;
  options_.vocabulary.seed = options_.trainer.learner.seed;
  if (!time_.empty()) {
    const std::optional<double> seconds = parse_duration(time_);
    if (!seconds)
      throw CLI::ValidationError("--time", quote(time_) + " but a time such as 90s, 30m or 2h was expected");
    options_.trainer.seconds = *seconds;
  }
  if (!memory_.empty()) {
    const std::optional<int64_t> bytes = parse_bytes(memory_);
    if (!bytes)
      throw CLI::ValidationError("--memory", quote(memory_) + " but a size such as 500M or 2G was expected");
    options_.memory = *bytes;
  }
  const TrainerConfig& trainer = options_.trainer;
  const bool endless = trainer.steps == 0 && trainer.epochs == 0 && trainer.seconds == 0;
  if (endless && command.count("--patience") == 0) options_.trainer.patience = default_patience;
}

int TrainCommand::run(const Console& console) const {
  if (print_config_) {
    console.out << command_.config_to_str();
    return 0;
  }
  return run_training(options_, console) == TrainingEnd::interrupted ? interruption_code() : 0;
}

}  // namespace heed
