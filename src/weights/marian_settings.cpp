#include "heed/weights/marian_settings.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <charconv>
#include <sstream>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Entry = MarianSettings::Entry;

// Takes the parser's events, so that no tree of unchecked size or depth is built: what nests too
// deeply is refused before the parser descends.
class Events final : public YAML::EventHandler {
 public:
  Events(const std::string& file, std::vector<Entry>& entries) : file_(file), entries_(entries) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail("{}: line {} has an alias, which is not expected in settings", file_, mark.line + 1);
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { take(mark, ""); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    take(mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    if (depth_ == 0 && !in_mapping_) {
      is_sequence_ = true;
      depth_ = 1;
      return;
    }
    if (depth_ != 1 || is_sequence_ || !has_name_) refuse(mark);
    entries_.push_back({std::exchange(name_, {}), {}, true});
    has_name_ = false;
    depth_ = 2;
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    if (depth_ != 0) refuse(mark);
    in_mapping_ = true;
    depth_ = 1;
  }
  void OnMapEnd() override { depth_ = 0; }

  bool is_mapping() const { return in_mapping_; }
  bool is_sequence() const { return is_sequence_; }

 private:
  [[noreturn]] void refuse(const YAML::Mark& mark) const {
    fail("{}: line {} nests deeper than names with values or lists", file_, mark.line + 1);
  }
  void take(const YAML::Mark& mark, const std::string& value) {
    if (depth_ == 0) refuse(mark);
    if (is_sequence_) {  // a list of words alone
      entries_.push_back({value, {fmt::format("{}", entries_.size())}, false});
    } else if (depth_ == 2) {
      entries_.back().values.push_back(value);
    } else if (!has_name_) {
      name_ = value;
      has_name_ = true;
    } else {
      entries_.push_back({std::exchange(name_, {}), {value}, false});
      has_name_ = false;
    }
  }

  const std::string& file_;
  std::vector<Entry>& entries_;
  int depth_ = 0;
  bool in_mapping_ = false, is_sequence_ = false, has_name_ = false;
  std::string name_;
};

}  // namespace

MarianSettings MarianSettings::parse(std::string_view yaml, std::string file) {
  MarianSettings settings;
  settings.file_ = std::move(file);
  Events events(settings.file_, settings.entries_);
  try {
    std::istringstream text{std::string(yaml)};
    YAML::Parser(text).HandleNextDocument(events);
  } catch (const YAML::Exception& error) {
    fail("{}: is not YAML: line {}: {}", settings.file_, error.mark.line + 1, printable(error.msg));
  }
  require(events.is_mapping() || events.is_sequence(),
          "{}: names with values, or a list, were expected", settings.file_);
  for (size_t i = 0; i < settings.entries_.size(); ++i)
    settings.places_.emplace(settings.entries_[i].name, i);
  return settings;
}

const MarianSettings::Entry* MarianSettings::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &entries_[found->second];
}

bool MarianSettings::contains(std::string_view name) const { return find(name) != nullptr; }

void MarianSettings::refuse(std::string_view name, std::string_view expected,
                            std::string_view found) const {
  fail("{}: \"{}\" is {} but {} was expected", file_, name, quote(found), expected);
}

std::optional<std::string> MarianSettings::one(std::string_view name) const {
  const Entry* entry = find(name);
  if (entry == nullptr) return std::nullopt;
  if (entry->is_list) refuse(name, "one value", "a list");
  return entry->values.front();
}

std::string MarianSettings::text(std::string_view name, std::string_view otherwise) const {
  return one(name).value_or(std::string(otherwise));
}

bool MarianSettings::truth(std::string_view name, bool otherwise) const {
  const std::optional<std::string> value = one(name);
  if (!value) return otherwise;
  if (*value == "true" || *value == "1") return true;
  if (*value == "false" || *value == "0") return false;
  refuse(name, "true or false", *value);
}

int64_t MarianSettings::integer(std::string_view name, int64_t otherwise) const {
  const std::optional<std::string> value = one(name);
  if (!value) return otherwise;
  constexpr int64_t largest = 1 << 28;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc() || end != value->data() + value->size() || number < 0 ||
      number > largest)
    refuse(name, fmt::format("a number from 0 to {}", largest), *value);
  return number;
}

double MarianSettings::number(std::string_view name, double otherwise) const {
  const std::optional<std::string> value = one(name);
  if (!value) return otherwise;
  double number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc() || end != value->data() + value->size() || !(number > -1e6) ||
      !(number < 1e6))
    refuse(name, "a number", *value);
  return number;
}

std::vector<std::string> MarianSettings::list(std::string_view name) const {
  const Entry* entry = find(name);
  return entry == nullptr ? std::vector<std::string>() : entry->values;
}

std::vector<int64_t> MarianSettings::integers(std::string_view name) const {
  std::vector<int64_t> numbers;
  for (const std::string& value : list(name)) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 0)
      refuse(name, "a list of numbers", value);
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace heed
