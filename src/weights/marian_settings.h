// YAML as Marian writes it: the settings of a model, of a decoder, and lists of words. The parser
// trusts nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// A flat mapping: each value is a text or a list of texts. Aliases, deeper nesting and what is not
// a mapping are refused in one sentence that names the file.
class MarianSettings {
 public:
  static MarianSettings parse(std::string_view yaml, std::string file);

  const std::string& file() const { return file_; }
  bool contains(std::string_view name) const;

  // The value, or the other one where there is none. An Error names the setting, what was expected
  // and what was found.
  std::string text(std::string_view name, std::string_view otherwise) const;
  bool truth(std::string_view name, bool otherwise) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  double number(std::string_view name, double otherwise) const;
  std::vector<std::string> list(std::string_view name) const;  // empty if there is none
  std::vector<int64_t> integers(std::string_view name) const;

  // In the order of the file: names and values, for lists of words with their numbers.
  struct Entry {
    std::string name;
    std::vector<std::string> values;  // one, unless it is a list
    bool is_list = false;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  const Entry* find(std::string_view name) const;
  [[noreturn]] void refuse(std::string_view name, std::string_view expected,
                           std::string_view found) const;
  std::optional<std::string> one(std::string_view name) const;

  std::string file_;
  std::vector<Entry> entries_;
  std::map<std::string, size_t, std::less<>> places_;
};

}  // namespace heed
