#include "heed/folders/huggingface_tokens.h"

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"

namespace heed::huggingface {

namespace {

namespace fs = std::filesystem;

constexpr const char* end_token = "</s>";
constexpr const char* unknown_token = "<unk>";
constexpr const char* start_token = "<pad>";

// By their ids.
std::vector<std::string> tokens_by_id(const fs::path& file, int64_t size) {
  const std::string name = file.string();
  const JsonValue json = parse_shallow_json(MappedFile(file).text(), name);
  require(json.is_object(), "{}: not a JSON object", name);
  require(static_cast<int64_t>(json.size()) == size, "{}: {} tokens but config.json says {}", name,
          json.size(), size);
  std::vector<std::string> tokens(static_cast<size_t>(size));
  for (const auto& [token, id] : json.items()) {
    require(!token.empty(), "{}: an empty token", name);
    require(id.is_number_integer() && id >= 0 && id < size,
            "{}: token {} has the id {} but 0 to {} was expected", name, Quoted{token},
            shorten(id.dump(), 40), size - 1);
    std::string& place = tokens[id.get<size_t>()];
    require(place.empty(), "{}: tokens {} and {} have the same id", name, Quoted{place},
            Quoted{token});
    place = token;
  }
  return tokens;
}

}  // namespace

bool Tokens::in_order() const {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != static_cast<int64_t>(i)) return false;
  return true;
}

Tokens read_tokens(const fs::path& file, int64_t size, const SpecialIds& special) {
  const std::vector<std::string> by_id = tokens_by_id(file, size);
  const auto expect = [&](int64_t id, const char* token) {
    require(id < size && by_id[static_cast<size_t>(id)] == token,
            "{}: {} was expected to have the id {}, as config.json says", file.string(), token, id);
  };
  expect(special.end, end_token);
  expect(special.start, start_token);
  int64_t unknown = 0;
  while (unknown < size && by_id[static_cast<size_t>(unknown)] != unknown_token) ++unknown;
  require(unknown < size, "{}: has no {}", file.string(), unknown_token);
  Tokens tokens;
  const auto add = [&](int64_t id) {
    tokens.names.push_back(by_id[static_cast<size_t>(id)]);
    tokens.rows.push_back(id);
  };
  add(special.end);
  add(unknown);
  for (int64_t id = 0; id < size; ++id)
    if (id != special.end && id != unknown && id != special.start) add(id);
  add(special.start);
  return tokens;
}

Vocabulary vocabulary_of(const fs::path& model, const Tokens& tokens) {
  const Vocabulary alone = Vocabulary::load(model);
  bool same = !alone.has_tokens() && alone.size() == static_cast<int32_t>(tokens.names.size());
  for (int32_t id = 0; same && id < alone.size(); ++id)
    same = alone.piece(id) == tokens.names[static_cast<size_t>(id)];
  return same ? alone : alone.with_tokens(tokens.names, model.string());
}

}  // namespace heed::huggingface
