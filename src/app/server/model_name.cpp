#include "heed/server/model_name.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"
#include "heed/server/languages.h"

namespace heed {

namespace {

// "en-de", "en-zh-Hans": the source is the part before the first hyphen.
std::optional<LanguagePair> pair_in(std::string_view text) {
  const size_t hyphen = text.find_first_of("-_");
  if (hyphen == text.npos) return std::nullopt;
  const std::string_view source = text.substr(0, hyphen), target = text.substr(hyphen + 1);
  if (!is_language_code(source) || !is_language_code(target)) return std::nullopt;
  return LanguagePair{std::string(source), std::string(target)};
}

// The last two words of a name: "opus-mt-en-de".
std::optional<LanguagePair> pair_at_end(std::string_view name) {
  const size_t last = name.find_last_of("-_");
  if (last == name.npos || last == 0) return std::nullopt;
  const size_t before = name.find_last_of("-_", last - 1);
  return pair_in(before == name.npos ? name : name.substr(before + 1));
}

// As Hugging Face's folders of MarianMT have them.
std::optional<LanguagePair> pair_of_tokenizer(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "tokenizer_config.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  const JsonValue json = parse_shallow_json(MappedFile(file).text(), file.string());
  if (!json.is_object()) return std::nullopt;
  const auto language = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  LanguagePair pair{language("source_lang"), language("target_lang")};
  if (!is_language_code(pair.source) || !is_language_code(pair.target)) return std::nullopt;
  return pair;
}

}  // namespace

NamedFolder named_folder(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals != text.npos)
    if (std::optional<LanguagePair> pair = pair_in(text.substr(0, equals)))
      return {.languages = *std::move(pair), .folder = text.substr(equals + 1)};
  std::filesystem::path folder = std::filesystem::path(text).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  if (std::optional<LanguagePair> pair = pair_of_tokenizer(folder))
    return {.languages = *std::move(pair), .folder = text};
  const std::string name = folder.filename().string();
  std::optional<LanguagePair> pair = pair_in(name);
  if (!pair) pair = pair_at_end(name);
  require(pair.has_value() || std::filesystem::exists(folder), ErrorKind::system,
          "{}: there is no such folder", quote(text));
  require(pair.has_value(), ErrorKind::usage,
          "serve: {} does not say which languages it translates; name them, as in --model "
          "en-de={}",
          quote(text), printable(text));
  return {.languages = *std::move(pair), .folder = text};
}

namespace {

// Gives a model what a flag such as --glossary names; `its` is the place for it.
template <typename Value>
void add_to_model(const std::string& text, std::string_view what, Value NamedFolder::*its,
                  std::vector<NamedFolder>& models) {
  const size_t equals = text.find('=');
  const std::optional<LanguagePair> pair =
      equals == text.npos ? std::nullopt : pair_in(text.substr(0, equals));
  require(pair || models.size() == 1, ErrorKind::usage,
          "serve: {} does not say which of the models it is for; name its languages, as in "
          "--{} en-de={}",
          quote(text), what, printable(text));
  const auto model =
      pair ? std::ranges::find(models, *pair, &NamedFolder::languages) : models.begin();
  require(model != models.end(), ErrorKind::usage,
          "serve: the {} {} is for {}, but there is no such model", what, quote(text),
          pair ? pair->name() : "");
  Value& place = (*model).*its;
  require(place.empty(), ErrorKind::usage, "serve: more than one {} for {}", what,
          model->languages.name());
  place = pair ? text.substr(equals + 1) : text;
}

}  // namespace

void add_glossary(const std::string& text, std::vector<NamedFolder>& models) {
  add_to_model(text, "glossary", &NamedFolder::glossary, models);
}

void add_adapter(const std::string& text, std::vector<NamedFolder>& models) {
  add_to_model(text, "adapter", &NamedFolder::adapter, models);
}

void add_tag(const std::string& text, std::vector<NamedFolder>& models) {
  add_to_model(text, "tag", &NamedFolder::tag, models);
}

}  // namespace heed
