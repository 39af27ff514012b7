#include "heed/app/cli/inspect_command.h"

#include <filesystem>
#include <map>

#include "heed/app/cli/flag_checks.h"
#include "heed/base/field_text.h"
#include "heed/base/json.h"
#include "heed/folders/bert_folder.h"
#include "heed/folders/classifier_folder.h"
#include "heed/folders/huggingface_weights.h"
#include "heed/folders/masked_folder.h"
#include "heed/folders/model_folder.h"
#include "heed/models/classifier_fields.h"
#include "heed/models/config_fields.h"
#include "heed/models/search_fields.h"
#include "heed/training/training_log.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

constexpr const char* inspect_example = R"(
  $ heed inspect en-de
  $ heed inspect --json en-de | jq .settings.width
)";

// Numbers and booleans as such, enumerations by name.
template <typename Value>
Json json_of_field(const Value& value) {
  if constexpr (is_named<Value>) {
    return text_of_field(value);
  } else {
    return value;
  }
}

template <typename Config>
Json settings_of(const Config& config) {
  Json settings = Json::object();
  visit_fields(config, [&](const auto& field, const auto& value) {
    settings[field.name] = json_of_field(value);
  });
  return settings;
}

Json settings_of(const ModelConfig& config) {
  return std::visit([](const auto& chosen) { return settings_of(chosen); }, config);
}

// "best" is the last validation that was a new best.
Json history_of(const TrainingHistory& history) {
  Json json = json_object<Json>({{"validations", history.validations.size()}});
  for (const LoggedValidation& validation : history.validations) {
    json["steps"] = validation.step;
    json["seconds"] = validation.seconds;
    if (!validation.best) continue;
    json["best"] = json_object<Json>({{"step", validation.step},
                                      {"cross-entropy", validation.cross_entropy},
                                      {"perplexity", validation.perplexity}});
    if (validation.bleu) json["best"]["bleu"] = *validation.bleu;
    if (validation.chrf) json["best"]["chrf"] = *validation.chrf;
  }
  return json;
}

Json description_of(const ModelFolder& model, const std::filesystem::path& folder) {
  Json json = json_object<Json>({{"model", name_of(model.config)},
                                 {"storage", name_of(model.storage)},
                                 {"parameters", count_parameters(*model.model)}});
  // A model that is used where another tool has put it may have other files.
  if (const size_t bytes = HuggingFaceWeights::bytes_in(folder); bytes > 0) json["bytes"] = bytes;
  if (!model.notes.origin.empty()) json["origin"] = model.notes.origin;
  if (const auto tags = tags_of(model).names(); !tags.empty()) json["tags"] = tags;
  if (model.shortlist) json["shortlist"] = model.shortlist->lists().targets.size();
  if (std::holds_alternative<LanguageModelConfig>(model.config)) {
    json["vocabulary"] = model.target.size();
  } else {
    json["source-vocabulary"] = model.source.size();
    json["target-vocabulary"] = model.target.size();
    json["shared-vocabulary"] = model.source.bytes() == model.target.bytes();
  }
  json["settings"] = settings_of(model.config);
  if (model.notes.search != SearchDefaults()) json["search"] = settings_of(model.notes.search);
  const TrainingHistory history = read_history(folder);
  if (!history.validations.empty()) json["training"] = history_of(history);
  return json;
}

// Of an encoder, with or without a head.
template <typename Folder>
Json encoder_description(const char* kind, const Folder& model,
                         const std::filesystem::path& folder) {
  return json_object<Json>({{"model", kind},
                            {"storage", name_of(model.storage)},
                            {"parameters", count_parameters(*model.model)},
                            {"bytes", std::filesystem::file_size(folder / "model.safetensors")},
                            {"vocabulary", model.pieces.size()},
                            {"settings", settings_of(model.config)}});
}

Json description_of(const BertFolder& model, const std::filesystem::path& folder) {
  return encoder_description("bert", model, folder);
}

Json description_of(const MaskedFolder& model, const std::filesystem::path& folder) {
  return encoder_description("masked", model, folder);
}

Json description_of(const ClassifierFolder& model, const std::filesystem::path& folder) {
  Json json = encoder_description("classifier", model, folder);
  json["labels"] = model.labels;
  return json;
}

Json parameters_json(ParameterModel& model) {
  Json list = Json::array();
  model.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    list.push_back(json_object<Json>(
        {{"name", name}, {"shape", value.shape().sizes()}, {"elements", value.elements()}}));
  });
  return list;
}

void print_parameters(ParameterModel& model, const Console& console) {
  model.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    console.out << fmt::format("{:56}{:>16}{:>12}\n", name, fmt::format("{}", value.shape()),
                               value.elements());
  });
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_text(const Json& json, const Console& console, int indent) {
  for (const auto& [name, value] : json.items()) {
    if (value.is_object()) {
      console.out << fmt::format("{:{}}{}\n", "", indent, name);
      print_text(value, console, indent + 2);
    } else {
      console.out << fmt::format("{:{}}{:{}}  {}\n", "", indent, name, 24 - indent, plain(value));
    }
  }
}

}  // namespace

InspectCommand::InspectCommand(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("inspect", "Show a model's sizes, settings and training history");
  CLI::Option* folder = command.add_option("folder", folder_, "The model's folder")
                            ->option_text("FOLDER")
                            ->transform(model_name());
  command.add_option("--model", named_folder_, "The same as FOLDER; one of the two is needed")
      ->option_text("FOLDER")
      ->transform(model_name())
      ->excludes(folder);
  command.add_flag("--parameters", parameters_, "List every parameter with its shape");
  command.add_flag("--json", json_, "Print JSON");
  command.footer(inspect_example);
  command.callback([this] {
    if (folder_.empty() && named_folder_.empty()) throw CLI::RequiredError("The model's folder");
  });
}

void InspectCommand::run(const Console& console) const {
  const std::filesystem::path folder = folder_.empty() ? named_folder_ : folder_;
  if (is_classifier_folder(folder))
    show(load_classifier_folder(folder), folder, console);
  else if (is_masked_folder(folder))
    show(load_masked_folder(folder), folder, console);
  else if (is_bert_folder(folder))
    show(load_bert_folder(folder), folder, console);
  else
    show(load_model_folder(folder), folder, console);
}

template <typename Folder>
void InspectCommand::show(const Folder& model, const std::filesystem::path& folder,
                          const Console& console) const {
  Json description = description_of(model, folder);
  if (json_) {
    if (parameters_) description["arrays"] = parameters_json(*model.model);
    console.out << description.dump(2) << '\n';
    return;
  }
  print_text(description, console, 0);
  if (parameters_) print_parameters(*model.model, console);
}

}  // namespace heed
