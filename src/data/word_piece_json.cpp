#include "heed/data/word_piece_json.h"

#include <algorithm>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Json = JsonValue;

// An object of the file, which knows where it is for errors.
class Part {
 public:
  Part(const Json& json, std::string where, const std::string& file)
      : json_(json), where_(std::move(where)), file_(file) {
    require(json.is_object(), "{}: {} is {} but an object was expected", file, where_,
            json.type_name());
  }

  // Null where it is missing, as the file's writers have it.
  const Json& at(const std::string& key) const {
    static const Json nothing;
    const auto found = json_.find(key);
    return found == json_.end() ? nothing : *found;
  }
  bool has(const std::string& key) const { return !at(key).is_null(); }
  Part part(const std::string& key) const { return Part(at(key), path(key), file_); }

  bool flag(const std::string& key, std::optional<bool> otherwise = {}) const {
    if (!has(key) && otherwise) return *otherwise;
    require(at(key).is_boolean(), "{}: {} is {} but true or false was expected", file_, path(key),
            found(key));
    return at(key).get<bool>();
  }
  std::string text(const std::string& key) const {
    require(at(key).is_string(), "{}: {} is {} but a text was expected", file_, path(key),
            found(key));
    return at(key).get<std::string>();
  }
  int64_t number(const std::string& key, int64_t least, int64_t most) const {
    return number(at(key), path(key), least, most);
  }
  int64_t number(const Json& json, const std::string& where, int64_t least, int64_t most) const {
    const bool fits = json.is_number_integer() &&
                      (!json.is_number_unsigned() || json.get<uint64_t>() <= INT64_MAX) &&
                      json.get<int64_t>() >= least && json.get<int64_t>() <= most;
    require(fits, "{}: {} is {} but a whole number from {} to {} was expected", file_, where,
            shorten(json.dump(-1, ' ', true, Json::error_handler_t::replace), 40), least, most);
    return json.get<int64_t>();
  }
  // The kind of this part; refused unless heed knows it.
  void expect_type(const char* expected) const {
    require(is_text(at("type"), expected), "{}: {} is of the type {} but heed reads only {}", file_,
            where_, found("type"), expected);
  }

  std::string path(const std::string& key) const {
    return where_ == whole ? fmt::format("\"{}\"", key)
                           : fmt::format("{} of {}", shorten(printable(key), 40), where_);
  }
  // A value as it stands in the file.
  std::string found(const std::string& key) const {
    return shorten(at(key).dump(-1, ' ', true, Json::error_handler_t::replace), 40);
  }
  const std::string& file() const { return file_; }
  const Json& json() const { return json_; }

  static constexpr const char* whole = "the file";

 private:
  const Json& json_;
  std::string where_;
  const std::string& file_;
};

constexpr int64_t most_pieces = 1 << 24;

void put_piece(std::vector<std::string>& pieces, int64_t id, const std::string& text,
               const std::string& file) {
  require(!text.empty() && is_utf8(text), "{}: the piece {} has no text", file, id);
  std::string& place = pieces[static_cast<size_t>(id)];
  require(place.empty() || place == text, "{}: the pieces {} and {} have the same id, {}", file,
          Quoted{place}, Quoted{text}, id);
  place = text;
}

void read_pieces(const Part& model, const Part& whole, WordPieceTokenizer& tokenizer) {
  const Part vocabulary = model.part("vocab");
  const auto entries = static_cast<int64_t>(vocabulary.json().size() + tokenizer.added.size());
  const int64_t most = std::min(entries, most_pieces) - 1;
  std::vector<std::string> pieces(static_cast<size_t>(most + 1));
  for (const auto& [text, id] : vocabulary.json().items())
    put_piece(pieces, whole.number(id, fmt::format("the id of {}", quote(text)), 0, most), text,
              whole.file());
  for (const WordPieceToken& token : tokenizer.added) {
    const auto known = vocabulary.json().find(token.text);
    require(known == vocabulary.json().end() || *known == token.id,
            "{}: the added token {} has the id {} but the vocabulary has another for it",
            whole.file(), Quoted{token.text}, token.id);
    require(token.id <= most, "{}: the added token {} has the id {} but there are {} pieces",
            whole.file(), Quoted{token.text}, token.id, entries);
    put_piece(pieces, token.id, token.text, whole.file());
  }
  while (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  const auto hole = std::ranges::find(pieces, std::string());
  require(hole == pieces.end(), "{}: no piece has the id {}, but there are some with larger ones",
          whole.file(), hole - pieces.begin());
  require(!pieces.empty(), "{}: the vocabulary is empty", whole.file());
  tokenizer.pieces = std::move(pieces);
}

int32_t id_of(const std::vector<std::string>& pieces, const std::string& text, const char* role,
              const std::string& file) {
  const auto found = std::ranges::find(pieces, text);
  require(found != pieces.end(), "{}: {} is {}, which the vocabulary does not have", file, role,
          Quoted{text});
  return static_cast<int32_t>(found - pieces.begin());
}

void read_model(const Part& whole, WordPieceTokenizer& tokenizer) {
  const Part model = whole.part("model");
  // Early files do not say the type; only WordPiece has this setting.
  if (model.has("type") || !model.has("max_input_chars_per_word")) model.expect_type("WordPiece");
  read_pieces(model, whole, tokenizer);
  tokenizer.prefix = model.text("continuing_subword_prefix");
  tokenizer.longest_word = model.number("max_input_chars_per_word", 0, INT64_MAX);
  tokenizer.unknown =
      id_of(tokenizer.pieces, model.text("unk_token"), "the token for unknown words", whole.file());
}

BertNormaliser read_normaliser(const Part& whole) {
  if (!whole.has("normalizer"))
    return {.cleans = false, .separates_cjk = false, .strips_accents = false, .lowercases = false};
  const Part part = whole.part("normalizer");
  part.expect_type("BertNormalizer");
  const bool lowercases = part.flag("lowercase");
  return {.cleans = part.flag("clean_text"),
          .separates_cjk = part.flag("handle_chinese_chars"),
          .strips_accents = part.flag("strip_accents", lowercases),
          .lowercases = lowercases};
}

std::vector<WordPieceToken> read_added_tokens(const Part& whole) {
  std::vector<WordPieceToken> tokens;
  if (!whole.has("added_tokens")) return tokens;
  require(whole.at("added_tokens").is_array(), "{}: \"added_tokens\" is not a list", whole.file());
  for (const Json& json : whole.at("added_tokens")) {
    const Part part(json, fmt::format("added token {}", tokens.size() + 1), whole.file());
    tokens.push_back({.text = part.text("content"),
                      .id = static_cast<int32_t>(part.number("id", 0, most_pieces)),
                      .whole_word = part.flag("single_word", false),
                      .takes_spaces_before = part.flag("lstrip", false),
                      .takes_spaces_after = part.flag("rstrip", false),
                      .normalised = part.flag("normalized", !part.flag("special", false))});
    require(!tokens.back().text.empty(), "{}: {} is empty", whole.file(), part.path("content"));
  }
  return tokens;
}

// A token of the frame: its name and its id must be the vocabulary's.
int32_t checked_id(const Json& id, const std::string& token, const Part& whole,
                   const WordPieceTokenizer& tokenizer) {
  const int64_t most = static_cast<int64_t>(tokenizer.pieces.size()) - 1;
  return static_cast<int32_t>(
      whole.number(id, fmt::format("the id of {} in \"post_processor\"", quote(token)), 0, most));
}

// {"sep": ["[SEP]", 102], "cls": ["[CLS]", 101]}
void read_bert_frame(const Part& part, const Part& whole, WordPieceTokenizer& tokenizer) {
  const auto id_at = [&](const std::string& key) {
    const Json& pair = part.at(key);
    require(pair.is_array() && pair.size() == 2 && pair[0].is_string(),
            "{}: {} is {} but a token and its id were expected", whole.file(), part.path(key),
            part.found(key));
    return checked_id(pair[1], pair[0].get<std::string>(), whole, tokenizer);
  };
  tokenizer.before = {id_at("cls")};
  tokenizer.after = {id_at("sep")};
}

// {"single": [{"SpecialToken": {"id": "[CLS]", …}}, {"Sequence": {"id": "A", …}}, …], …}
void read_template(const Part& part, const Part& whole, WordPieceTokenizer& tokenizer) {
  const Part specials = part.part("special_tokens");
  require(part.at("single").is_array(), "{}: {} is not a list", whole.file(), part.path("single"));
  bool after = false;
  for (const Json& json : part.at("single")) {
    const Part step(json, part.path("single"), whole.file());
    const bool is_text_itself = step.has("Sequence");
    const Part what = step.part(is_text_itself ? "Sequence" : "SpecialToken");
    require(what.number("type_id", 0, INT32_MAX) == 0,
            "{}: {} has tokens of the type {} but heed reads only 0", whole.file(),
            part.path("single"), what.found("type_id"));
    const std::string id = what.text("id");
    if (is_text_itself) {
      require(id == "A" && !after, "{}: {} has another text than A, once", whole.file(),
              part.path("single"));
      after = true;
      continue;
    }
    const Part special = specials.part(id);
    require(special.at("ids").is_array(), "{}: {} is not a list", whole.file(),
            special.path("ids"));
    for (const Json& one : special.at("ids"))
      (after ? tokenizer.after : tokenizer.before).push_back(checked_id(one, id, whole, tokenizer));
  }
  require(after, "{}: {} has no place for the text", whole.file(), part.path("single"));
}

void read_frame(const Part& whole, WordPieceTokenizer& tokenizer) {
  if (!whole.has("post_processor")) return;
  const Part part = whole.part("post_processor");
  if (is_text(part.at("type"), "BertProcessing")) return read_bert_frame(part, whole, tokenizer);
  if (is_text(part.at("type"), "TemplateProcessing")) return read_template(part, whole, tokenizer);
  fail(
      "{}: \"post_processor\" is of the type {} but heed reads only TemplateProcessing and "
      "BertProcessing",
      whole.file(), part.found("type"));
}

// What is cut off, and on which side padding would move the positions.
void check_directions(const Part& whole) {
  for (const char* key : {"truncation", "padding"}) {
    if (!whole.has(key)) continue;
    const Part part = whole.part(key);
    require(!part.has("direction") || is_text(part.at("direction"), "Right"),
            "{}: {} is {} but heed reads only \"Right\"", whole.file(), part.path("direction"),
            part.found("direction"));
  }
}

}  // namespace

WordPieceTokenizer parse_word_piece_json(std::string_view json, const std::string& name) {
  const Json parsed = parse_shallow_json(json, name);
  require(!parsed.is_discarded(), "{}: is not JSON", name);
  const Part whole(parsed, Part::whole, name);
  WordPieceTokenizer tokenizer;
  tokenizer.added = read_added_tokens(whole);
  read_model(whole, tokenizer);
  tokenizer.normaliser = read_normaliser(whole);
  whole.part("pre_tokenizer").expect_type("BertPreTokenizer");
  read_frame(whole, tokenizer);
  check_directions(whole);
  return tokenizer;
}

}  // namespace heed
