#include "heed/data/labelled_reader.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Json = JsonValue;

std::string label_of(const Json& json, const std::string& where) {
  if (json.is_number_integer()) return json.dump();
  require(json.is_string(), "{}: a label is {} but a text or a whole number was expected", where,
          json.type_name());
  return json.get<std::string>();
}

}  // namespace

LabelledFormat labelled_format(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  return path.ends_with(".jsonl") ? LabelledFormat::jsonl : LabelledFormat::tsv;
}

void LabelledReader::read_columns(LabelledText& text) const {
  const size_t tab = line_.find('\t');
  require(tab != line_.npos, "{}: a label, a tab and a text were expected but {} was found",
          where(), Quoted{line_});
  text.labels = {line_.substr(0, tab)};
  text.text = line_.substr(tab + 1, line_.find('\t', tab + 1) - tab - 1);
}

void LabelledReader::read_object(LabelledText& text) const {
  const Json json = parse_shallow_json(line_, where());
  require(json.is_object(), "{}: a JSON object was expected but {} was found", where(),
          Quoted{line_});
  const auto words = json.find("text"), one = json.find("label"), several = json.find("labels");
  require(words != json.end() && words->is_string(), "{}: the object has no \"text\"", where());
  require((one != json.end()) != (several != json.end()),
          "{}: the object has {} of \"label\" and \"labels\" but one was expected", where(),
          one == json.end() ? "none" : "both");
  text.text = words->get<std::string>();
  if (one != json.end()) {
    text.labels = {label_of(*one, where())};
    return;
  }
  require(several->is_array(), "{}: \"labels\" is {} but a list was expected", where(),
          several->type_name());
  for (const Json& label : *several) text.labels.push_back(label_of(label, where()));
}

bool LabelledReader::next(LabelledText& text) {
  do {
    if (!lines_.next(line_)) return false;
  } while (line_.find_first_not_of(" \t") == line_.npos && line_.find('\t') == line_.npos);
  require(is_utf8(line_), "{}: is not UTF-8", where());
  text = {};
  if (format_ == LabelledFormat::tsv)
    read_columns(text);
  else
    read_object(text);
  for (auto label = text.labels.begin(); label != text.labels.end(); ++label) {
    require(label->find_first_not_of(" \t") != label->npos, "{}: the label is empty", where());
    require(std::find(text.labels.begin(), label, *label) == label, "{}: the label {} occurs twice",
            where(), Quoted{*label});
  }
  return true;
}

}  // namespace heed
