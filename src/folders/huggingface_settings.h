// The settings of a folder of Hugging Face, which are JSON: config.json and the like.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "heed/base/json.h"

namespace heed {

// By name. A setting that is null counts as missing. An Error names the file, the setting, what was
// expected and what was found.
class HuggingFaceSettings {
 public:
  explicit HuggingFaceSettings(const std::filesystem::path& path);
  // Of a file that may be missing, which has no settings then.
  static HuggingFaceSettings if_there(const std::filesystem::path& path);

  const std::string& file() const { return file_; }
  const JsonValue* find(const char* name) const;  // null if it is missing
  bool contains(const char* name) const { return find(name) != nullptr; }

  int64_t number(const char* name) const;
  int64_t number(const char* name, int64_t missing) const;
  double real(const char* name, double missing) const;
  bool truth(const char* name, bool missing) const;
  std::string text(const char* name, const std::string& missing) const;

  // A setting that must have this value, or may be missing if that means the same.
  void expect_text(const char* name, std::string_view text) const;
  void expect_truth(const char* name, bool value) const;
  void expect_missing(const char* name) const;
  void expect_number(const char* name, int64_t value, std::string_view why) const;

  [[noreturn]] void refuse(const char* name, std::string_view expected) const;

 private:
  HuggingFaceSettings() = default;

  std::string file_;
  JsonValue json_ = JsonValue::object();
};

}  // namespace heed
