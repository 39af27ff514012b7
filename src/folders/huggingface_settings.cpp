#include "heed/folders/huggingface_settings.h"

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"

namespace heed {

HuggingFaceSettings::HuggingFaceSettings(const std::filesystem::path& path) : file_(path.string()) {
  json_ = parse_shallow_json(MappedFile(path).text(), file_);
  require(json_.is_object(), "{}: not a JSON object", file_);
}

HuggingFaceSettings HuggingFaceSettings::if_there(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return HuggingFaceSettings(path);
  HuggingFaceSettings none;
  none.file_ = path.string();
  return none;
}

const JsonValue* HuggingFaceSettings::find(const char* name) const {
  const auto found = json_.find(name);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

int64_t HuggingFaceSettings::number(const char* name) const {
  require(contains(name), "{}: the setting \"{}\" is missing", file_, name);
  return number(name, 0);
}

int64_t HuggingFaceSettings::number(const char* name, int64_t missing) const {
  constexpr int64_t largest = 1 << 28;
  const JsonValue* value = find(name);
  if (value == nullptr) return missing;
  if (!value->is_number_integer() || *value > largest || *value < 0)
    refuse(name, fmt::format("a number from 0 to {}", largest));
  return value->get<int64_t>();
}

double HuggingFaceSettings::real(const char* name, double missing) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return missing;
  if (!value->is_number()) refuse(name, "a number");
  return value->get<double>();
}

bool HuggingFaceSettings::truth(const char* name, bool missing) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return missing;
  if (!value->is_boolean()) refuse(name, "true or false");
  return value->get<bool>();
}

std::string HuggingFaceSettings::text(const char* name, const std::string& missing) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return missing;
  if (!value->is_string()) refuse(name, "text");
  return value->get<std::string>();
}

void HuggingFaceSettings::expect_text(const char* name, std::string_view text) const {
  const JsonValue* value = find(name);
  if (value != nullptr && !is_text(*value, text)) refuse(name, quote(text));
}

void HuggingFaceSettings::expect_truth(const char* name, bool value) const {
  if (truth(name, value) != value) refuse(name, value ? "true" : "false");
}

void HuggingFaceSettings::expect_missing(const char* name) const {
  if (contains(name)) refuse(name, "null");
}

void HuggingFaceSettings::expect_number(const char* name, int64_t value,
                                        std::string_view why) const {
  if (number(name, value) != value) refuse(name, fmt::format("{}, {},", value, why));
}

void HuggingFaceSettings::refuse(const char* name, std::string_view expected) const {
  const JsonValue& value = json_[name];
  fail("{}: \"{}\" is {} but {} was expected", file_, name,
       value.is_string() ? quote(value.get<std::string>()) : shorten(value.dump(), 80), expected);
}

}  // namespace heed
