#include "heed/app/cli/train_command.h"

#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/flag_file.h"
#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/shown_training.h"
#include "heed/base/field_text.h"
#include "heed/base/quantity_text.h"
#include "heed/models/classifier_fields.h"
#include "heed/models/config_fields.h"
#include "heed/runs/training_task.h"

namespace heed {

namespace {

constexpr const char* usual_models = "Model (overrides the preset)";

constexpr const char* train_example =
    R"(Without other flags, heed chooses the sizes of the vocabulary and the model, the schedule and
the validation set from the corpus, and stops after ten validations in a row without a new best.
The same command continues an interrupted run, even if the corpus files are gone. A run whose loss
is no longer finite fails with exit code 1, and its best model so far is kept.

--watch keeps, at each validation, what every head attends to in a sentence; heed attention
--over-time shows it. The translation is the model's own at that time, unless one follows after a
tab. Watching changes nothing of the model, so other sentences may be watched when a run continues.

Example: train from a.en to a.de for half an hour, then translate.

  $ heed train --train a.en a.de --model en-de --time 30m
  $ heed translate --model en-de < text.en > text.de
)";

template <typename Enum>
std::vector<std::string> names_of_values() {
  std::vector<std::string> names;
  for (const auto& named : EnumNames<Enum>::values) names.emplace_back(named.name);
  return names;
}

// "a|b" -> {"a", "b"}
std::vector<std::string> choices_in(std::string_view text) {
  std::vector<std::string> choices;
  for (size_t end = 0; end != text.npos; text.remove_prefix(end == text.npos ? 0 : end + 1)) {
    end = text.find('|');
    choices.emplace_back(text.substr(0, end));
  }
  return choices;
}

template <typename Number>
CLI::Validator check_number(const FieldOptions& bounds) {
  const FieldOptions none = {};
  if (bounds.above == 0) return above_zero();
  if (bounds.below == 1) return part_of_one();
  const auto least = static_cast<Number>(bounds.least);
  if (bounds.most != none.most) return between(least, static_cast<Number>(bounds.most));
  return at_least(least);
}

// Checks a setting by itself. Whether all of them fit together is checked once all are known.
template <typename Value>
CLI::Validator check_setting(const FieldOptions& bounds) {
  if constexpr (is_named<Value>)
    return one_of(names_of_values<Value>());
  else if constexpr (std::is_same_v<Value, bool>)
    return one_of({"true", "false"});
  else
    return check_number<Value>(bounds);
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

// The flags of one kind of models.
struct FlagGroup {
  const char* heading;
  const char* tasks = "";  // that only these models have: "classify, masked"
};

// A flag stands under the heading of the first models that have it. If those are not the usual
// ones, it says which others have it, too.
void note_other_tasks(CLI::Option& flag, const FlagGroup& group) {
  if (*group.tasks == 0 || flag.get_group() == usual_models) return;
  const std::string what = flag.get_description();
  const char* joint = what.find("; also --task ") == what.npos ? "; also --task " : ", ";
  flag.description(what + joint + group.tasks);
}

// A flag for each setting of a configuration. Values are kept as text until the preset is known.
template <typename Config>
void add_override_flags(CLI::App& command, std::map<std::string, std::string>& given,
                        const FlagGroup& group) {
  const Config defaults;
  visit_fields(defaults, [&]<typename Value>(const auto& field, const Value&) {
    const std::string flag = fmt::format("--{}", field.name);
    if (CLI::Option* known = command.get_option_no_throw(flag))
      return note_other_tasks(*known, group);
    command
        .add_option_function<std::string>(
            flag, [&given, name = field.name](const std::string& text) { given[name] = text; },
            field.what)
        ->type_name(choices_of_field<Value>())
        ->check(check_setting<Value>(field.options))
        ->group(group.heading);
  });
}

// A flag for each field of the run's own settings, by the type of its value.
class FieldFlags {
 public:
  explicit FieldFlags(CLI::App& command) : command_(command) {}

  template <typename Value>
  void add(const auto& field, Value& value) const {
    if (!field.options.flag) return;
    CLI::Option& option = add_option(fmt::format("--{}", field.name), field, value);
    if (*field.options.group != 0) option.group(field.options.group);
  }

 private:
  CLI::Option& add_option(const std::string& flag, const auto& field, bool& value) const {
    return *command_.add_flag(flag, value, field.what);
  }

  CLI::Option& add_option(const std::string& flag, const auto& field,
                          std::vector<std::string>& value) const {
    if (field.options.unit == Unit::sentence)
      return *command_.add_option(flag, value, field.what)
                  ->take_all()
                  ->allow_extra_args(false)
                  ->type_name("TEXT");
    return *command_.add_option(flag, value, field.what)
                ->check(path_of("a file"))
                ->type_name("FILES");
  }

  CLI::Option& add_option(const std::string& flag, const auto& field, std::string& value) const {
    CLI::Option& option = *command_.add_option(flag, value, field.what);
    if (field.options.unit == Unit::file)
      return *option.check(path_of("a file"))->type_name("FILE");
    if (field.options.unit == Unit::model)
      return *option.check(path_of("a folder"))->transform(model_name())->type_name("DIR");
    if (*field.options.choices == 0) return option;
    return *option.check(one_of(choices_in(field.options.choices)))
                ->type_name(field.options.choices);
  }

  template <typename Number>
  CLI::Option& add_option(const std::string& flag, const auto& field,
                          std::optional<Number>& value) const {
    return *command_.add_option(flag, value, field.what)
                ->check(check_number<Number>(field.options))
                ->type_name(choices_of_field<Number>());
  }

  template <typename Value>
  CLI::Option& add_option(const std::string& flag, const auto& field, Value& value) const {
    if constexpr (is_named<Value>) {
      return add_choice(flag, field, value);
    } else {
      if (field.options.unit == Unit::seconds)
        return add_quantity(flag, field, value, parse_duration, "TIME",
                            "a time such as 90s, 30m or 2h");
      if (field.options.unit == Unit::bytes)
        return add_quantity(flag, field, value, parse_bytes, "SIZE", "a size such as 500M or 2G");
      CLI::Option& option = *command_.add_option(flag, value, field.what)
                                 ->check(check_number<Value>(field.options))
                                 ->type_name(choices_of_field<Value>());
      if (value != 0) option.capture_default_str();
      return option;
    }
  }

  // An enumeration, by name.
  template <typename Enum>
  CLI::Option& add_choice(const std::string& flag, const auto& field, Enum& value) const {
    const auto set = [&value, name = field.name](const std::string& text) {
      set_field(name, text, value);
    };
    return *command_.add_option_function<std::string>(flag, set, field.what)
                ->type_name(choices_of_field<Enum>())
                ->default_str(text_of_field(value))
                ->check(one_of(names_of_values<Enum>()));
  }

  template <typename Number, typename Parse>
  CLI::Option& add_quantity(const std::string& flag, const auto& field, Number& value, Parse parse,
                            const char* type, const char* expected) const {
    const auto set = [&value, parse](const std::string& text) {
      value = static_cast<Number>(parse(text).value_or(0));
    };
    return *command_.add_option_function<std::string>(flag, set, field.what)
                ->check(text_that(parse, expected))
                ->type_name(type);
  }

  CLI::App& command_;
};

}  // namespace

TrainCommand::TrainCommand(CLI::App& program)
    : command_(*program.add_subcommand("train", "Train a model on sentence pairs or on texts")) {
  command_.footer(train_example);
  add_flag_file(command_, print_config_);
  add_flags();
  command_.get_option("--train")->required();
  command_.get_option("--vocabulary-files")->expected(1, 2);
  command_.get_option("--threads")->envname("HEED_THREADS");
  // A script may append its user's flags to its own.
  for (CLI::Option* option : command_.get_options())
    if (option->get_expected_max() == 1) option->take_last();
  command_.final_callback([this] {
    settings_.folder = model_folder_;
    refuse_what_does_not_fit();
  });
}

// In the order in which they are shown: the flags of the preset come after its name.
void TrainCommand::add_flags() {
  const FieldFlags flags(command_);
  visit_fields(settings_, [&](const auto& field, auto& value) {
    flags.add(field, value);
    if (field.name == std::string_view("to"))
      command_
          .add_option("--model", model_folder_, "Folder for the model and the state of the run")
          ->required()
          ->check(path_of("a folder"))
          ->type_name("DIR");
    if (field.name != std::string_view("preset")) return;
    add_override_flags<TransformerConfig>(command_, settings_.model, {usual_models});
    add_override_flags<RnnConfig>(command_, settings_.model, {"Model with --preset rnn"});
    add_override_flags<LanguageModelConfig>(command_, settings_.model,
                                            {"Model with --task language", "language"});
    add_override_flags<ClassifierConfig>(
        command_, settings_.model, {"Model with --task classify or masked", "classify, masked"});
    add_override_flags<LearnerConfig>(command_, settings_.learning,
                                      {"Training (overrides the preset)"});
  });
}

// The parser treats its own exceptions as wrong usage.
void TrainCommand::refuse_what_does_not_fit() const {
  try {
    refuse_impossible_settings(settings_);
  } catch (const Error& error) {
    throw CLI::ValidationError(error.what());
  }
}

int TrainCommand::run(const Console& console, Communicator& ranks) const {
  if (print_config_) {
    console.out << flags_as_file(command_);
    return 0;
  }
  const TrainingEnd end =
      ranks.is_first() ? show_training(settings_, console, ranks) : join_training(settings_, ranks);
  return end == TrainingEnd::interrupted ? interruption_code() : 0;
}

}  // namespace heed
