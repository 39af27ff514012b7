#include "heed/data/jsonl_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

const std::string translation_key = "translation";

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t") == std::string::npos;
}

std::string text_at(const Json& object, const std::string& key, const LineReader& lines) {
  const auto found = object.find(key);
  require(found != object.end(), "{}: the object has no {}", lines.where(), quote(key));
  require(found->is_string(), "{}: {} is {} but a string was expected", lines.where(), quote(key),
          found->type_name());
  return found->get<std::string>();
}

// The keys of a line's object and of its "translation", with duplicates.
struct Keys {
  std::vector<std::string> of_object, of_translation;
};

Json parse(const std::string& line, Keys& keys) {
  return Json::parse(line, [&](int depth, Json::parse_event_t event, const Json& value) {
    if (event != Json::parse_event_t::key || depth > 2) return true;
    const bool in_translation =
        depth == 2 && !keys.of_object.empty() && keys.of_object.back() == translation_key;
    if (depth == 1) keys.of_object.push_back(value.get<std::string>());
    if (in_translation) keys.of_translation.push_back(value.get<std::string>());
    return true;
  });
}

// The number in a \uXXXX at the start of `text`.
std::optional<unsigned> unicode_escape(std::string_view text) {
  constexpr size_t digits = 4;
  if (!text.starts_with("\\u") || text.size() < 2 + digits) return std::nullopt;
  unsigned number = 0;
  const char *begin = text.data() + 2, *end = begin + digits;
  const auto [stop, reason] = std::from_chars(begin, end, number, 16);
  return reason == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// Whether there is an unpaired surrogate escape, such as \ud83d.
bool has_half_a_character(std::string_view line) {
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] != '\\') continue;
    const unsigned first = unicode_escape(line.substr(i)).value_or(0);
    ++i;
    if (first < 0xD800 || first >= 0xE000) continue;
    i += 4;
    const unsigned second = unicode_escape(line.substr(std::min(i + 1, line.size()))).value_or(0);
    if (first >= 0xDC00 || second < 0xDC00 || second >= 0xE000) return true;
    i += 6;
  }
  return false;
}

}  // namespace

bool JsonlReader::next(SentencePair& pair) {
  pair.drop.reset();
  do {
    if (!lines_.next(line_)) return false;
  } while (is_blank(line_));
  // Invalid UTF-8 is reported as in any other format, not as invalid JSON.
  if (!is_utf8(line_)) {
    pair = {.source = line_, .target = line_, .drop = Drop::invalid_utf8};
    return true;
  }
  pair = {};
  try {
    read_object(pair);
  } catch (const Json::out_of_range&) {
    pair.drop = Drop::number_out_of_range;
  } catch (const Json::parse_error&) {
    require(has_half_a_character(line_), "{}: a JSON object was expected but {} was found",
            lines_.where(), quote(line_));
    pair.drop = Drop::invalid_reference;
  }
  return true;
}

void JsonlReader::read_object(SentencePair& pair) const {
  Keys keys;
  const Json parsed = parse(line_, keys);
  require(parsed.is_object(), "{}: a JSON object was expected but {} was found", lines_.where(),
          parsed.type_name());
  const auto translation = parsed.find(translation_key);
  const bool nested =
      translation != parsed.end() && translation->is_object() && !parsed.contains(source_key_);
  const Json& object = nested ? *translation : parsed;
  require(!nested || object.size() >= 2 || !source_key_.empty(),
          "{}: \"translation\" has {} keys but two languages were expected", lines_.where(),
          object.size());
  const bool by_order = nested && source_key_.empty();
  const std::string source_key = by_order              ? object.begin().key()
                                 : source_key_.empty() ? "source"
                                                       : source_key_;
  const std::string target_key = by_order              ? std::next(object.begin()).key()
                                 : target_key_.empty() ? "target"
                                                       : target_key_;
  const auto is_there_twice = [](const std::vector<std::string>& names, const std::string& key) {
    return std::ranges::count(names, key) > 1;
  };
  const std::vector<std::string>& names = nested ? keys.of_translation : keys.of_object;
  if (is_there_twice(names, source_key) || is_there_twice(names, target_key) ||
      (nested && is_there_twice(keys.of_object, translation_key)))
    pair.drop = Drop::duplicate_key;
  pair.source = text_at(object, source_key, lines_);
  pair.target = text_at(object, target_key, lines_);
}

}  // namespace heed
