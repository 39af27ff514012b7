#include "heed/data/jsonl_reader.h"

#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Json = nlohmann::ordered_json;

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t") == std::string::npos; }

std::string text_at(const Json& object, const std::string& key, const LineReader& lines) {
  const auto found = object.find(key);
  require(found != object.end(), "{}: the object has no {}", lines.where(), quote(key));
  require(found->is_string(), "{}: {} is {} but a string was expected", lines.where(), quote(key),
          found->type_name());
  return found->get<std::string>();
}

}  // namespace

bool JsonlReader::next(SentencePair& pair) {
  pair.drop.reset();
  do {
    if (!lines_.next(line_)) return false;
  } while (is_blank(line_));
  // What is not UTF-8 is the same mistake here as in any other format, and not one of JSON.
  if (!is_utf8(line_)) {
    pair = {.source = line_, .target = line_, .drop = Drop::invalid_utf8};
    return true;
  }
  const Json parsed = Json::parse(line_, nullptr, false);
  require(parsed.is_object(), "{}: a JSON object was expected but {} was found", lines_.where(),
          parsed.is_discarded() ? quote(line_) : std::string(parsed.type_name()));

  const auto translation = parsed.find("translation");
  const bool nested =
      translation != parsed.end() && translation->is_object() && !parsed.contains(source_key_);
  const Json& object = nested ? *translation : parsed;
  require(!nested || object.size() >= 2 || !source_key_.empty(),
          "{}: \"translation\" has {} keys but two languages were expected", lines_.where(), object.size());
  const bool by_order = nested && source_key_.empty();
  const std::string source_key = by_order              ? object.begin().key()
                                 : source_key_.empty() ? "source"
                                                       : source_key_;
  const std::string target_key = by_order              ? std::next(object.begin()).key()
                                 : target_key_.empty() ? "target"
                                                       : target_key_;
  pair.source = text_at(object, source_key, lines_);
  pair.target = text_at(object, target_key, lines_);
  return true;
}

}  // namespace heed
