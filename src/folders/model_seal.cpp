#include "heed/folders/model_seal.h"

#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

namespace fs = std::filesystem;
using Json = OrderedJsonValue;

constexpr std::string_view config_name = "config.json";
constexpr std::string_view config_key = "heed.config";
constexpr std::string_view weights_key = "heed.checksum";
constexpr std::string_view metadata_key = "heed.checksum.metadata";
constexpr std::string_view our_keys = "heed.";
constexpr const char* our_settings = "heed";  // in config.json

constexpr const char* way_out =
    "`heed convert --accept-changes FROM TO` writes a model from the folder as it is";

std::string checksum_key(std::string_view name) { return fmt::format("{}.{}", weights_key, name); }

std::string checksum_text(std::string_view text) {
  return fmt::format("crc32:{:08x}", checksum(std::as_bytes(std::span(text))));
}

// The checksum of all entries but itself.
std::string checksum_of(const Metadata& metadata) {
  std::string all;
  for (const auto& [key, value] : metadata) {
    if (key == metadata_key) continue;
    // Lengths separate the end of a key from the start of its value.
    all += fmt::format("{} {} {}{}", key.size(), value.size(), key, value);
  }
  return checksum_text(all);
}

// Dropout may change during training and does not affect translation.
bool decides_translations(std::string_view setting) { return !setting.ends_with("dropout"); }

Json deciding_settings(const Json& all) {
  Json kept = Json::object();
  for (const auto& [name, value] : all.items())
    if (decides_translations(name))
      kept[name] = name == our_settings ? deciding_settings(value) : value;
  return kept;
}

std::string value_text(const Json& value) {
  return shorten(printable(value.is_string() ? value.get<std::string>() : value.dump()), 80);
}

void check_setting(const std::string& name, const Json* found, const Json* saved,
                   const std::string& file) {
  if (found != nullptr && saved != nullptr && *found == *saved) return;
  fail("{}: {} {}, but the weights were saved {}; {}", file, quote(name),
       found == nullptr ? "is missing" : "is " + value_text(*found),
       saved == nullptr ? "without it" : "with " + value_text(*saved), way_out);
}

const Json* find(const Json& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? nullptr : &*found;
}

// Checks that every saved setting exists with the same value.
void check_saved(const Json& found, const Json& saved, const std::string& file) {
  for (const auto& [name, value] : saved.items())
    if (name != our_settings) check_setting(name, find(found, name), &value, file);
}

// Whoever writes metadata can write a matching checksum, too, so these are not trusted either.
Json saved_settings(const std::string& text) {
  Json settings = parse_shallow_json<Json>(text, std::string(config_key));
  require(
      settings.is_object() && settings.contains(our_settings) && settings[our_settings].is_object(),
      "{}: no settings of heed", config_key);
  return settings;
}

void check_settings(const Json& found, const Json& saved, const std::string& file) {
  require(found.is_object(), "{}: not a JSON object", file);
  check_saved(found, saved, file);
  const Json* ours = find(found, our_settings);
  require(ours != nullptr && ours->is_object(), "{}: the settings under \"heed\" are missing",
          file);
  const Json& saved_ours = saved[our_settings];
  check_saved(*ours, saved_ours, file);
  for (const auto& [name, value] : ours->items())
    if (decides_translations(name)) check_setting(name, &value, find(saved_ours, name), file);
}

}  // namespace

ModelSeal::ModelSeal(const DescriptionFiles& files) {
  for (const auto& [name, text] : files)
    if (name != config_name) entries_[checksum_key(name)] = checksum_text(text);
  for (const auto& [name, text] : files)
    if (name == config_name) *this = with_config(text);
}

ModelSeal ModelSeal::with_config(std::string_view config) const {
  ModelSeal changed = *this;
  const Json settings = parse_shallow_json<Json>(config, std::string(config_name));
  changed.entries_[std::string(config_key)] = deciding_settings(settings).dump();
  return changed;
}

void ModelSeal::write_to(Metadata& metadata) const {
  for (const auto& [key, value] : entries_) metadata[key] = value;
  metadata[std::string(metadata_key)] = checksum_of(metadata);
}

ModelSeal ModelSeal::read(const Metadata& metadata, const std::string& file) {
  ModelSeal seal;
  for (const auto& [key, value] : metadata)
    if (key.starts_with(our_keys) && key != weights_key && key != metadata_key)
      seal.entries_.emplace(key, value);
  const auto stored = metadata.find(metadata_key);
  if (stored == metadata.end()) {
    // Other tools, and early versions of heed, wrote none of these.
    require(seal.empty(), "{}: damaged: its metadata has no checksum", file);
    return seal;
  }
  const std::string found = checksum_of(metadata);
  require(stored->second == found,
          "{}: damaged: the checksum of its metadata is {} but {} was expected", file, found,
          stored->second);
  return seal;
}

void ModelSeal::check(const fs::path& folder) const {
  check_files(folder);
  const auto saved = entries_.find(config_key);
  if (saved == entries_.end()) return;
  const std::string file = (folder / config_name).string();
  check_settings(parse_shallow_json<Json>(MappedFile(file).text(), file),
                 saved_settings(saved->second), file);
}

void ModelSeal::check_files(const fs::path& folder) const {
  for (const char* name : {"source.spm", "target.spm", "vocab.json", "target_vocab.json",
                           "tokenizer.model", "tokenizer.json"}) {
    const auto saved = entries_.find(checksum_key(name));
    if (saved == entries_.end()) continue;
    const fs::path path = folder / name;
    // heed can translate without the word lists, but other tools cannot.
    const bool for_others = path.extension() == ".json";
    std::error_code none;
    require(!for_others || fs::exists(path, none),
            "{}: is missing, but the weights were saved with it; {}", path.string(), way_out);
    const std::string found = checksum_text(MappedFile(path).text());
    require(found == saved->second,
            "{}: damaged, or of another model: its checksum is {}, but the weights were saved with "
            "{}; {}",
            path.string(), found, saved->second, way_out);
  }
}

}  // namespace heed
