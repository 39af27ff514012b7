#include "heed/runs/model_registry.h"

#include <algorithm>
#include <cstdlib>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/folder.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"
#include "heed/runs/conversion.h"
#include "heed/training/training_log.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr int longest_licence = 80;  // characters

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

uint64_t bytes_of(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return fs::file_size(path, error);
  uint64_t bytes = 0;
  for (const fs::path& entry : entries_of(path))
    if (fs::is_regular_file(entry, error)) bytes += fs::file_size(entry, error);
  return bytes;
}

std::string_view without_space(std::string_view text) {
  constexpr std::string_view space = " \t\r\"'";
  const size_t begin = std::min(text.find_first_not_of(space), text.size());
  return text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

std::string first_line(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = without_space(take_line(text));
    if (!line.empty()) return shorten(line, longest_licence);
  }
  return "";
}

// The "license" of a model card: README.md begins with settings between lines of dashes.
std::string licence_of_card(const fs::path& card) {
  const MappedFile file(card);
  std::string_view text = file.text();
  if (take_line(text) != "---") return "";
  constexpr std::string_view key = "license:";
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line == "---") return "";
    if (line.starts_with(key))
      return shorten(without_space(line.substr(key.size())), longest_licence);
  }
  return "";
}

std::string licence_of_json(const fs::path& path) {
  const JsonValue json = parse_shallow_json(MappedFile(path).text(), path.string());
  if (!json.is_object()) return "";
  for (const char* key : {"license", "licence"})
    if (const auto found = json.find(key); found != json.end() && found->is_string())
      return shorten(found->get<std::string>(), longest_licence);
  return "";
}

std::string licence_in(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {"config.json", "metadata.json"})
    if (fs::is_regular_file(folder / name, error))
      if (std::string found = licence_of_json(folder / name); !found.empty()) return found;
  if (fs::is_regular_file(folder / "README.md", error))
    if (std::string found = licence_of_card(folder / "README.md"); !found.empty()) return found;
  for (const char* name : {"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING"})
    if (fs::is_regular_file(folder / name, error))
      return first_line(MappedFile(folder / name).text());
  return "";
}

// Whether a path is meant to be a model, whole or broken.
bool looks_like_model(const fs::path& path) {
  try {
    check_any_model(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

template <typename Folder>
void describe(const char* kind, const Folder& model, ListedModel& listed) {
  listed.kind = kind;
  listed.storage = name_of(model.storage);
  listed.parameters = count_parameters(*model.model);
}

void read_model(ListedModel& listed) {
  const fs::path& path = listed.folder;
  if (is_classifier_folder(path))
    return describe("classifier", load_classifier_folder(path), listed);
  if (is_masked_folder(path)) return describe("masked", load_masked_folder(path), listed);
  if (is_bert_folder(path)) return describe("bert", load_bert_folder(path), listed);
  const ModelFolder model = load_model_folder(path);
  describe("", model, listed);
  listed.kind = name_of(model.config);
  listed.source_language = model.languages.source;
  listed.target_language = model.languages.target;
  listed.tags = tags_of(model).names();
  listed.origin = model.notes.origin;
  for (const LoggedValidation& validation : read_history(path).validations) {
    if (!validation.best) continue;
    listed.bleu = validation.bleu;
    listed.chrf = validation.chrf;
  }
}

ListedModel listed_model(const fs::path& path) {
  const fs::path whole = path.filename().empty() ? path.parent_path() : path;
  ListedModel listed;
  listed.name = whole.filename().string();
  listed.folder = whole;
  listed.bytes = bytes_of(whole);
  try {
    read_model(listed);
    listed.licence = licence_in(whole);
  } catch (const Error& error) {
    listed.broken = error.what();
  }
  return listed;
}

}  // namespace

fs::path models_folder() {
  if (const std::string data = environment("XDG_DATA_HOME"); data.starts_with('/'))
    return fs::path(data) / "heed";
  const std::string home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".local" / "share" / "heed";
}

std::string find_model(const std::string& name) {
  std::error_code error;
  const fs::path kept = models_folder();
  const bool is_path = name.empty() || name.find('/') != name.npos || name == "." || name == "..";
  if (is_path || kept.empty() || fs::exists(fs::symlink_status(name, error))) return name;
  return fs::exists(kept / name, error) ? (kept / name).string() : name;
}

std::vector<ListedModel> list_models(std::span<const fs::path> folders) {
  std::vector<ListedModel> models;
  for (const fs::path& folder : folders) {
    if (looks_like_model(folder)) {
      models.push_back(listed_model(folder));
      continue;
    }
    for (const fs::path& entry : entries_of(folder))
      if (looks_like_model(entry)) models.push_back(listed_model(entry));
  }
  return models;
}

}  // namespace heed
