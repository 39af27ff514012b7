#include "heed/app/cli/models_command.h"

#include <filesystem>

#include "heed/app/cli/flag_checks.h"
#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/runs/model_registry.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

constexpr const char* models_example =
    R"(Lists the models in $XDG_DATA_HOME/heed (by default ~/.local/share/heed) and in the named
folders, each of which is a model or holds models: of heed, Marian, Hugging Face, CTranslate2 or
Argos Translate. Shown are languages, kind, precision, size, tags, origin, licence and the scores of
the best validation, as far as the folder has them. A model that cannot be used is listed with the
reason.

  $ heed convert opus-mt-en-de ~/.local/share/heed/en-de
  $ heed models
  $ heed translate --model en-de < text.en > text.de

Where a command takes a model, a name without a slash that is not here is looked for there.
)";

Json json_of(const ListedModel& model) {
  Json json = json_object<Json>({{"name", model.name}, {"folder", model.folder.string()}});
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  add("source-language", model.source_language);
  add("target-language", model.target_language);
  add("model", model.kind);
  add("storage", model.storage);
  if (model.parameters > 0) json["parameters"] = model.parameters;
  json["bytes"] = model.bytes;
  if (!model.tags.empty()) json["tags"] = model.tags;
  add("origin", model.origin);
  add("licence", model.licence);
  if (model.bleu) json["bleu"] = *model.bleu;
  if (model.chrf) json["chrf"] = *model.chrf;
  add("broken", model.broken);
  return json;
}

std::string text_of(const ListedModel& model) {
  std::string text = model.name + '\n';
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("  {:12}{}\n", name, printable(std::string(value)));
  };
  line("folder", model.folder.string());
  if (!model.source_language.empty() || !model.target_language.empty())
    line("languages",
         fmt::format("{} to {}", model.source_language.empty() ? "?" : model.source_language,
                     model.target_language.empty() ? "?" : model.target_language));
  if (model.broken.empty())
    line("model",
         fmt::format("{}, {} parameters, {}", model.kind, model.parameters, model.storage));
  line("size", fmt::format("{:.1f} MB", static_cast<double>(model.bytes) / 1e6));
  line("tags", fmt::format("{}", fmt::join(model.tags, ", ")));
  line("origin", model.origin);
  line("licence", model.licence);
  if (model.bleu) line("BLEU", fmt::format("{:.2f}", *model.bleu));
  if (model.chrf) line("chrF", fmt::format("{:.2f}", *model.chrf));
  line("broken", model.broken);
  return text;
}

}  // namespace

ModelsCommand::ModelsCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("models", "List the models that you keep");
  command.add_option("folders", folders_, "Models, and folders that hold models")
      ->option_text("FOLDER...")
      ->check(folder_name());
  command.add_flag("--json", json_, "Print JSON");
  command.footer(models_example);
}

void ModelsCommand::run(const Console& console) const {
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  if (const auto kept = models_folder(); !kept.empty() && std::filesystem::exists(kept, error))
    folders.push_back(kept);
  for (const std::string& folder : folders_) {
    require(std::filesystem::exists(folder, error), ErrorKind::system,
            "{}: there is no such folder", folder);
    folders.emplace_back(folder);
  }
  Json list = Json::array();
  const std::vector<ListedModel> models = list_models(folders);
  if (models.empty())
    console.err << fmt::format(
        "heed: there are no models in {}\n",
        fmt::join(folders_.empty() ? std::vector{models_folder().string()} : folders_, ", "));
  for (const ListedModel& model : models) {
    if (json_)
      list.push_back(json_of(model));
    else
      console.out << text_of(model);
  }
  if (json_) console.out << list.dump(2) << '\n';
}

}  // namespace heed
