#include "heed/app/cli/train_command.h"

#include "heed/app/cli/field_text.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/flag_file.h"
#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/train_presets.h"
#include "heed/app/cli/training_run.h"

namespace heed {

namespace {

constexpr const char* worked_example =
    R"(Without other flags, heed chooses the sizes of the vocabulary and the model, the schedule and
the validation set from the corpus, and stops after ten validations in a row without a new best.
The same command continues an interrupted run, even if the corpus files are gone. A run whose loss
is no longer finite fails with exit code 1, and its best model so far is kept.

Example: train from a.en to a.de for half an hour, then translate.

  $ heed train --train a.en a.de --model en-de --time 30m
  $ heed translate --model en-de < text.en > text.de
)";

constexpr int default_patience = 10;

template <typename Enum>
std::vector<std::string> names_of_values() {
  std::vector<std::string> names;
  for (const auto& named : EnumNames<Enum>::values) names.emplace_back(named.name);
  return names;
}

CLI::Validator check_whole_setting(std::string_view name) {
  constexpr int64_t largest_size = 1 << 16, most_layers = 1000, furthest = int64_t{1} << 40;
  if (name.ends_with("layers")) return between<int64_t>(1, most_layers);
  if (name == "kv-heads" || name == "encoder-hidden") return between<int64_t>(0, largest_size);
  const bool counts_steps = name == "warm-up" || name == "decay-steps" || name == "r-drop-after";
  if (counts_steps || name == "max-distance") return between<int64_t>(0, furthest);
  return between<int64_t>(1, largest_size);
}

CLI::Validator check_real_setting(std::string_view name) {
  if (name == "learning-rate" || name == "epsilon") return above_zero();
  if (name == "weight-decay" || name == "clip-norm" || name == "r-drop") return at_least(0.0);
  return part_of_one();
}

// Checks a setting by itself. Whether all of them fit together is checked once all are known.
template <typename Field>
CLI::Validator check_setting(std::string_view name) {
  if constexpr (is_named_field<Field>)
    return one_of(names_of_values<Field>());
  else if constexpr (std::is_same_v<Field, bool>)
    return one_of({"true", "false"});
  else if constexpr (std::is_integral_v<Field>)
    return check_whole_setting(name);
  else
    return check_real_setting(name);
}

// The name of a file or a folder. One that looks like a flag means that a value was forgotten.
CLI::Validator path_of(const char* what) {
  const auto check = [what](const std::string& text) {
    return text.empty() || text.starts_with("--") ? refusal(text, what) : std::string();
  };
  return {check, ""};
}

// A text that `parse` accepts.
template <typename Parse>
CLI::Validator text_that(Parse parse, const char* expected) {
  const auto check = [parse, expected](const std::string& text) {
    return parse(text) ? std::string() : refusal(text, expected);
  };
  return {check, ""};
}

std::string alternatives(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "|"));
}

// A flag for each setting of a configuration. Values are kept as text until the preset is known.
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
        ->check(check_setting<Field>(name))
        ->group(group);
  });
}

// A flag for an enumeration, by name.
template <typename Enum>
void add_choice(CLI::App& command, const std::string& flag, Enum& value, const std::string& what) {
  command
      .add_option_function<std::string>(
          flag, [&value, flag](const std::string& text) { set_field(flag.substr(2), text, value); },
          what)
      ->type_name(choices_of_field<Enum>())
      ->default_str(text_of_field(value))
      ->check(one_of(names_of_values<Enum>()));
}

}  // namespace

TrainCommand::TrainCommand(CLI::App& program)
    : command_(*program.add_subcommand("train", "Train a model on sentence pairs")) {
  CLI::App& command = command_;
  command.footer(worked_example);
  add_flag_file(command, print_config_);
  add_corpus_flags(command);
  add_vocabulary_flags(command);
  add_model_flags(command);
  add_learning_flags(command);
  add_validation_flags(command);
  add_run_flags(command);
  // A script may append its user's flags to its own.
  for (CLI::Option* option : command.get_options())
    if (option->get_expected_max() == 1) option->take_last();
  command.final_callback([this, &command] {
    read_budget(command);
    refuse_what_does_not_fit();
  });
}

void TrainCommand::add_corpus_flags(CLI::App& command) {
  command
      .add_option("--train", options_.train,
                  "Training pairs: two text files, TSV, JSONL, TMX, PO or MO; .gz, .zst")
      ->required()
      ->check(path_of("a file"))
      ->type_name("FILES");
  command
      .add_option("--valid", options_.valid,
                  "Validation pairs (default: some training pairs are held out)")
      ->check(path_of("a file"))
      ->type_name("FILES");
  const std::vector<std::string> formats = {"text", "tsv", "jsonl", "tmx", "po", "mo"};
  command.add_option("--format", options_.format, "Format of the files (default: by extension)")
      ->check(one_of(formats))
      ->type_name(alternatives(formats));
  command.add_option("--from", options_.from, "Source language of TMX, source key of JSONL");
  command.add_option("--to", options_.to, "Target language of TMX, target key of JSONL");
  command.add_option("--model", model_folder_, "Folder for the model and the state of the run")
      ->required()
      ->check(path_of("a folder"))
      ->type_name("FOLDER");
  command
      .add_option("--max-length", options_.max_length,
                  "Skip pairs with more tokens than this on either side")
      ->check(between<int64_t>(4, 100000))
      ->capture_default_str();
}

void TrainCommand::add_vocabulary_flags(CLI::App& command) {
  const std::string group = "Vocabulary";
  command
      .add_option("--vocabulary", options_.vocabulary.size,
                  "Vocabulary size (0: chosen from the corpus)")
      ->check(between(0, 1000000))
      ->group(group);
  add_choice(command, "--vocabulary-kind", options_.vocabulary.kind,
             "How words are split into subwords");
  command.get_option("--vocabulary-kind")->group(group);
  command
      .add_flag("--separate-vocabularies", options_.separate,
                "One vocabulary per language instead of a joint one")
      ->group(group);
  command
      .add_option("--vocabulary-files", options_.vocabulary_files,
                  "Existing SentencePiece models to use: one for both languages, or two")
      ->expected(1, 2)
      ->check(path_of("a file"))
      ->type_name("FILES")
      ->group(group);
  command
      .add_flag("--tokenised", options_.vocabulary.tokenised,
                "The text is already tokenised: keep its spaces")
      ->group(group);
  command
      .add_option("--sampling", options_.sampling,
                  "Subword sampling: alpha of unigram, or dropout of BPE merges")
      ->check(between(0.0, 1.0))
      ->group(group);
}

void TrainCommand::add_model_flags(CLI::App& command) {
  const std::vector<std::string> presets(preset_names.begin(), preset_names.end());
  command
      .add_option("--preset", options_.preset,
                  "Model size with matching settings (default: by the size of the corpus)")
      ->check(one_of(presets))
      ->type_name(alternatives(presets));
  add_setting_flags<TransformerConfig>(command, options_.model, "Model (overrides the preset)");
  add_setting_flags<RnnConfig>(command, options_.model, "Model with --preset rnn");
}

void TrainCommand::add_learning_flags(CLI::App& command) {
  const std::string group = "Training (overrides the preset)";
  add_setting_flags<LearnerConfig>(command, options_.learning, group);
  command
      .add_option("--batch", options_.batch_tokens, "Tokens per batch, counted on the longer side")
      ->check(between<int64_t>(1, 10000000))
      ->capture_default_str()
      ->group(group);
  command.add_option("--memory", memory_, "Choose the batch size to fit this much memory, e.g. 2G")
      ->check(text_that(parse_bytes, "a size such as 500M or 2G"))
      ->type_name("SIZE")
      ->group(group);
  command
      .add_option("--accumulate", options_.trainer.accumulate,
                  "Gradient accumulation: batches per step")
      ->check(between(1, 10000))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--shards", options_.trainer.shards,
                  "Parts of a batch that threads share; changes the result")
      ->check(between(1, 256))
      ->capture_default_str()
      ->group(group);
}

void TrainCommand::add_validation_flags(CLI::App& command) {
  const std::string group = "Validation";
  command
      .add_option("--validate-every", options_.trainer.validate_every,
                  "Steps between validations (0: once per epoch)")
      ->check(at_least<int64_t>(0))
      ->capture_default_str()
      ->group(group);
  add_choice(command, "--criterion", options_.trainer.criterion,
             "Metric that selects the best model");
  command.get_option("--criterion")->group(group);
  command
      .add_option("--patience", options_.trainer.patience,
                  "Stop after this many validations without a new best (0: never)")
      ->check(at_least(0))
      ->group(group);
  command
      .add_option("--average-last", options_.trainer.average_last,
                  "At the end, average the weights of this many last validations")
      ->check(at_least(0))
      ->group(group);
  command
      .add_option("--valid-lines", options_.valid_lines,
                  "Lines to translate at each validation (0: none)")
      ->check(at_least(0))
      ->capture_default_str()
      ->group(group);
  command.add_option("--valid-beam", options_.valid_beam, "Beam size of these translations")
      ->check(between(1, 100))
      ->capture_default_str()
      ->group(group);
  command.add_option("--samples", options_.samples, "Sample translations to show")
      ->check(at_least(0))
      ->capture_default_str()
      ->group(group);
}

void TrainCommand::add_run_flags(CLI::App& command) {
  const std::string group = "Run";
  command.add_option("--steps", options_.trainer.steps, "Stop after this many steps")
      ->check(at_least<int64_t>(1))
      ->group(group);
  command.add_option("--epochs", options_.trainer.epochs, "Stop after this many epochs")
      ->check(at_least<int64_t>(1))
      ->group(group);
  command.add_option("--time", time_, "Stop after this much time, e.g. 90s, 30m, 2h")
      ->check(text_that(parse_duration, "a time such as 90s, 30m or 2h"))
      ->type_name("TIME")
      ->group(group);
  command
      .add_option("--save-every", options_.trainer.save_every,
                  "Steps between checkpoints; validations save one, too")
      ->check(at_least<int64_t>(1))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--threads", options_.threads,
                  "Threads (0: one per core); do not change the result")
      ->envname("HEED_THREADS")
      ->check(between(0, 1024))
      ->capture_default_str()
      ->group(group);
  command.add_option("--seed", options_.trainer.learner.seed, "Random seed")
      ->check(at_least<uint64_t>(0))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--override", options_.change_settings,
                "Continue a run despite changed settings or a changed corpus")
      ->group(group);
}

void TrainCommand::read_budget(const CLI::App& command) {
  options_.folder = model_folder_;
  options_.vocabulary.seed = options_.trainer.learner.seed;
  options_.trainer.seconds = parse_duration(time_).value_or(0);
  options_.memory = parse_bytes(memory_).value_or(0);
  const TrainerConfig& trainer = options_.trainer;
  const bool endless = trainer.steps == 0 && trainer.epochs == 0 && trainer.seconds == 0;
  if (endless && command.count("--patience") == 0) options_.trainer.patience = default_patience;
}

// The parser treats its own exceptions as wrong usage.
void TrainCommand::refuse_what_does_not_fit() const {
  try {
    refuse_impossible_settings(options_);
  } catch (const Error& error) {
    throw CLI::ValidationError(error.what());
  }
}

int TrainCommand::run(const Console& console) const {
  if (print_config_) {
    console.out << flags_as_file(command_);
    return 0;
  }
  return run_training(options_, console) == TrainingEnd::interrupted ? interruption_code() : 0;
}

}  // namespace heed
