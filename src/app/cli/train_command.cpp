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
    R"(Without other flags, the sizes of the vocabulary and of the model, the schedule and the sentences to validate
with are picked from the corpus, and training ends when ten validations in a row were not the best.
The same command continues a run that was interrupted, also when the files of the corpus are gone.
A run whose loss is not a finite number any more fails, with exit code 1; its best model so far stays.

Example: learn to translate from a.en to a.de for half an hour, then translate.

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

// What can be said about a setting alone. Whether all fit together is judged when all are known.
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

// The name of a file or a folder. One that looks like a flag stands where a value was forgotten.
CLI::Validator path_of(const char* what) {
  const auto check = [what](const std::string& text) {
    return text.empty() || text.starts_with("--") ? refusal(text, what) : std::string();
  };
  return {check, ""};
}

// A text that `parse` understands.
template <typename Parse>
CLI::Validator text_that(Parse parse, const char* expected) {
  const auto check = [parse, expected](const std::string& text) {
    return parse(text) ? std::string() : refusal(text, expected);
  };
  return {check, ""};
}

std::string words_between_strokes(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "|"));
}

// A flag for each setting of a configuration; what is given is kept as text until the preset is
// known.
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
    : command_(*program.add_subcommand("train", "Learn to translate from sentence pairs")) {
  CLI::App& command = command_;
  command.footer(worked_example);
  add_flag_file(command, print_config_);
  add_corpus_flags(command);
  add_vocabulary_flags(command);
  add_model_flags(command);
  add_learning_flags(command);
  add_validation_flags(command);
  add_run_flags(command);
  // A script may give its own flags and then those of its user.
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
                  "Sentence pairs: two text files, or TSV, JSONL, TMX, PO, MO; also .gz and .zst")
      ->required()
      ->check(path_of("a file"))
      ->type_name("FILES");
  command
      .add_option("--valid", options_.valid,
                  "Sentence pairs to validate with (without: some are held out)")
      ->check(path_of("a file"))
      ->type_name("FILES");
  const std::vector<std::string> formats = {"text", "tsv", "jsonl", "tmx", "po", "mo"};
  command.add_option("--format", options_.format, "Of the files, where their names do not say it")
      ->check(one_of(formats))
      ->type_name(words_between_strokes(formats));
  command.add_option("--from", options_.from, "Source language of TMX, source key of JSONL");
  command.add_option("--to", options_.to, "Target language of TMX, target key of JSONL");
  command.add_option("--model", model_folder_, "Folder for the model and the state of the run")
      ->required()
      ->check(path_of("a folder"))
      ->type_name("FOLDER");
  command
      .add_option("--max-length", options_.max_length, "Leave out pairs with more tokens on a side")
      ->check(between<int64_t>(4, 100000))
      ->capture_default_str();
}

void TrainCommand::add_vocabulary_flags(CLI::App& command) {
  const std::string group = "Vocabulary";
  command.add_option("--vocabulary", options_.vocabulary.size, "Size (0: picked from the corpus)")
      ->check(between(0, 1000000))
      ->group(group);
  add_choice(command, "--vocabulary-kind", options_.vocabulary.kind,
             "How words are cut into pieces");
  command.get_option("--vocabulary-kind")->group(group);
  command
      .add_flag("--separate-vocabularies", options_.separate,
                "One per side instead of one for both")
      ->group(group);
  command
      .add_option("--vocabulary-files", options_.vocabulary_files,
                  "SentencePiece models to use: one for both sides, or two")
      ->expected(1, 2)
      ->check(path_of("a file"))
      ->type_name("FILES")
      ->group(group);
  command
      .add_flag("--tokenised", options_.vocabulary.tokenised,
                "The text is tokenised: keep its spaces as they are")
      ->group(group);
  command
      .add_option("--sampling", options_.sampling,
                  "Cut words at random: alpha of unigram, dropped merges of BPE")
      ->check(between(0.0, 1.0))
      ->group(group);
}

void TrainCommand::add_model_flags(CLI::App& command) {
  const std::vector<std::string> presets(preset_names.begin(), preset_names.end());
  command
      .add_option(
          "--preset", options_.preset,
          "Size of the model and settings that suit it (without: by the size of the corpus)")
      ->check(one_of(presets))
      ->type_name(words_between_strokes(presets));
  add_setting_flags<TransformerConfig>(command, options_.model, "Model (instead of the preset's)");
  add_setting_flags<RnnConfig>(command, options_.model, "Model with --preset rnn");
}

void TrainCommand::add_learning_flags(CLI::App& command) {
  const std::string group = "Learning (instead of the preset's)";
  add_setting_flags<LearnerConfig>(command, options_.learning, group);
  command.add_option("--batch", options_.batch_tokens, "Tokens of a batch, on the longer side")
      ->check(between<int64_t>(1, 10000000))
      ->capture_default_str()
      ->group(group);
  command.add_option("--memory", memory_, "Fit the batch to so much memory, e.g. 2G")
      ->check(text_that(parse_bytes, "a size such as 500M or 2G"))
      ->type_name("SIZE")
      ->group(group);
  command.add_option("--accumulate", options_.trainer.accumulate, "Batches per step")
      ->check(between(1, 10000))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--shards", options_.trainer.shards,
                  "Parts of a batch that threads can share; decides the result, unlike --threads")
      ->check(between(1, 256))
      ->capture_default_str()
      ->group(group);
}

void TrainCommand::add_validation_flags(CLI::App& command) {
  const std::string group = "Validation";
  command
      .add_option("--validate-every", options_.trainer.validate_every, "Steps (0: once per epoch)")
      ->check(at_least<int64_t>(0))
      ->capture_default_str()
      ->group(group);
  add_choice(command, "--criterion", options_.trainer.criterion,
             "What the best model is judged by");
  command.get_option("--criterion")->group(group);
  command
      .add_option("--patience", options_.trainer.patience,
                  "End after so many validations without a better one (0: never)")
      ->check(at_least(0))
      ->group(group);
  command
      .add_option("--average-last", options_.trainer.average_last,
                  "Average the weights of so many last validations at the end")
      ->check(at_least(0))
      ->group(group);
  command
      .add_option("--valid-lines", options_.valid_lines,
                  "Translate so many lines at each validation (0: none)")
      ->check(at_least(0))
      ->capture_default_str()
      ->group(group);
  command.add_option("--valid-beam", options_.valid_beam, "Beam of these translations")
      ->check(between(1, 100))
      ->capture_default_str()
      ->group(group);
  command.add_option("--samples", options_.samples, "Show so many of these translations")
      ->check(at_least(0))
      ->capture_default_str()
      ->group(group);
}

void TrainCommand::add_run_flags(CLI::App& command) {
  const std::string group = "Run";
  command.add_option("--steps", options_.trainer.steps, "End after so many steps")
      ->check(at_least<int64_t>(1))
      ->group(group);
  command
      .add_option("--epochs", options_.trainer.epochs, "End after so many passes over the corpus")
      ->check(at_least<int64_t>(1))
      ->group(group);
  command.add_option("--time", time_, "End after so long, e.g. 90s, 30m, 2h")
      ->check(text_that(parse_duration, "a time such as 90s, 30m or 2h"))
      ->type_name("TIME")
      ->group(group);
  command
      .add_option("--save-every", options_.trainer.save_every,
                  "Steps between checkpoints, beside those of validations")
      ->check(at_least<int64_t>(1))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--threads", options_.threads,
                  "Workers (0: one per core); does not change the result")
      ->envname("HEED_THREADS")
      ->check(between(0, 1024))
      ->capture_default_str()
      ->group(group);
  command.add_option("--seed", options_.trainer.learner.seed, "Of everything random")
      ->check(at_least<uint64_t>(0))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--override", options_.change_settings,
                "Continue a run with other settings, or a changed corpus, than it was begun with")
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

// The parser takes its own exceptions for wrong usage.
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
