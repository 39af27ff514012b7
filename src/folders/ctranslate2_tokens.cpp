#include "heed/folders/ctranslate2_tokens.h"

#include <cmath>
#include <map>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/folder.h"
#include "heed/base/json.h"
#include "heed/base/shallow_json.h"
#include "heed/base/text.h"
#include "heed/data/moses_vocabulary.h"
#include "heed/data/word_vocabulary.h"

namespace heed::ctranslate2 {

namespace {

namespace fs = std::filesystem;
using Json = JsonValue;

// A file that cannot be examined counts as missing; reading it reports why.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string text_of(const fs::path& path) { return std::string(MappedFile(path).text()); }

Json json_of(const fs::path& path) {
  Json json = parse_shallow_json(text_of(path), path.string());
  require(!json.is_discarded(), "{}: not JSON", path.string());
  return json;
}

// The tokens in the order of their ids.
std::vector<std::string> read_list(const fs::path& folder, const std::string& name) {
  const fs::path json = folder / (name + ".json"), text = folder / (name + ".txt");
  std::vector<std::string> tokens;
  if (is_there(json)) {
    for (const Json& token : json_of(json)) {
      require(token.is_string(), "{}: {} is not a token", json.string(), shorten(token.dump(), 40));
      tokens.push_back(token.get<std::string>());
    }
    return tokens;
  }
  const MappedFile file(text);
  for (std::string_view rest = file.text(); !rest.empty();) tokens.emplace_back(take_line(rest));
  return tokens;
}

// Nothing if there are none.
std::optional<Vocabularies> read_pieces(const fs::path& folder) {
  std::vector<fs::path> models;
  std::error_code error;
  FolderNames names(folder, error);
  while (const char* name = names.next())
    if (std::string_view(name).ends_with(".spm")) models.push_back(folder / name);
  require(!error, ErrorKind::system, "{}: cannot be read: {}", folder.string(), error.message());
  if (models.empty()) return std::nullopt;
  const auto load = [&](const fs::path& path) {
    require(is_there(path), "{}: several SentencePiece models but no {}", folder.string(),
            path.filename().string());
    return Vocabulary::load(path);
  };
  if (models.size() == 1) return Vocabularies{load(models[0]), load(models[0]), false};
  return Vocabularies{load(folder / "source.spm"), load(folder / "target.spm"), false};
}

constexpr const char *end_token = "</s>", *unknown_token = "<unk>", *start_token = "<pad>";

// Without those that are special in the model or have the names of heed's.
std::vector<std::string> ordinary_tokens(const std::vector<std::string>& side,
                                         const Tokens& tokens) {
  std::vector<std::string> ordinary;
  for (const std::string& token : side) {
    const bool special = token == tokens.start || token == tokens.end || token == tokens.unknown ||
                         token == end_token || token == unknown_token || token == start_token;
    if (!special) ordinary.push_back(token);
  }
  return ordinary;
}

// Two SentencePiece models that share one list of tokens, as MarianMT has them: so the tables stay
// one table.
Vocabularies with_shared_tokens(const Vocabularies& pieces, const Tokens& tokens,
                                const std::string& name) {
  if (pieces.source.bytes() == pieces.target.bytes() || tokens.source != tokens.target)
    return pieces;
  std::vector<std::string> list = {end_token, unknown_token};
  for (std::string& token : ordinary_tokens(tokens.target, tokens))
    list.push_back(std::move(token));
  list.emplace_back(start_token);
  return {pieces.source.with_tokens(list, name), pieces.target.with_tokens(list, name), false};
}

Vocabulary words_of(const std::vector<std::string>& side, const Tokens& tokens) {
  std::vector<std::string> words;
  for (const std::string& token : side)
    if (token != tokens.start && token != tokens.end && token != tokens.unknown)
      words.push_back(token);
  return word_vocabulary(words, "vocabulary of the model");
}

std::vector<int64_t> rows_of(const Vocabulary& vocabulary, bool words,
                             const std::vector<std::string>& side, const Tokens& tokens) {
  std::map<std::string, int64_t, std::less<>> rows;
  for (size_t row = 0; row < side.size(); ++row)
    rows.emplace(words ? piece_of_word(side[row]) : side[row], static_cast<int64_t>(row));
  const auto key_of = [&](int32_t id) {
    const bool special =
        id == Vocabulary::end || id == Vocabulary::unknown || id == vocabulary.start();
    if (!special) return vocabulary.piece(id);
    const std::string& token = id == Vocabulary::end       ? tokens.end
                               : id == Vocabulary::unknown ? tokens.unknown
                                                           : tokens.start;
    return words ? piece_of_word(token) : token;
  };
  std::vector<int64_t> result;
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    const auto found = rows.find(key_of(id));
    result.push_back(found == rows.end() ? -1 : found->second);
  }
  return result;
}

}  // namespace

Tokens read_tokens(const fs::path& folder) {
  Tokens found;
  const bool shared =
      is_there(folder / "shared_vocabulary.json") || is_there(folder / "shared_vocabulary.txt");
  found.source = read_list(folder, shared ? "shared_vocabulary" : "source_vocabulary");
  found.target = shared ? found.source : read_list(folder, "target_vocabulary");
  const fs::path file = folder / "config.json";
  if (!is_there(file)) return found;
  const Json config = json_of(file);
  const auto read = [&](const char* name, auto& value) {
    if (!config.contains(name) || config[name].is_null()) return;
    const bool fits = std::is_same_v<decltype(value), bool&> ? config[name].is_boolean()
                                                             : config[name].is_string();
    require(fits, "{}: \"{}\" is {}", file.string(), name, shorten(config[name].dump(), 40));
    config[name].get_to(value);
  };
  if (const auto ours = config.find("heed"); ours != config.end() && ours->is_object()) {
    const auto bias = ours->find("start-bias");
    if (bias != ours->end() && bias->is_number() && std::isfinite(bias->get<float>()))
      found.start_bias = bias->get<float>();
    const auto origin = ours->find("origin");
    found.origin = origin != ours->end() && origin->is_string() ? origin->get<std::string>() : "";
  }
  if (const auto epsilon = config.find("layer_norm_epsilon");
      epsilon != config.end() && !epsilon->is_null()) {
    const bool fits = epsilon->is_number() && *epsilon > 0 && *epsilon < 1;
    require(fits, "{}: \"layer_norm_epsilon\" is {} but a number between 0 and 1 was expected",
            file.string(), shorten(epsilon->dump(), 40));
    found.norm_epsilon = epsilon->get<double>();
  }
  bool source_start = false;
  read("decoder_start_token", found.start);
  read("eos_token", found.end);
  read("unk_token", found.unknown);
  read("add_source_eos", found.source_end);
  read("add_source_bos", source_start);
  require(!source_start,
          "{}: source sentences start with a special token, which heed does not support",
          file.string());
  return found;
}

Vocabularies read_vocabularies(const fs::path& folder, const Tokens& tokens,
                               const std::optional<MosesSides>& moses) {
  if (moses)
    return {moses_vocabulary(ordinary_tokens(tokens.source, tokens), moses->source, moses->name),
            moses_vocabulary(ordinary_tokens(tokens.target, tokens), moses->target, moses->name),
            false};
  if (std::optional<Vocabularies> pieces = read_pieces(folder))
    return with_shared_tokens(*pieces, tokens, (folder / "shared_vocabulary").string());
  return {words_of(tokens.source, tokens), words_of(tokens.target, tokens), true};
}

std::vector<int64_t> source_rows(const Vocabularies& vocabularies, const Tokens& tokens) {
  return rows_of(vocabularies.source, vocabularies.words, tokens.source, tokens);
}

std::vector<int64_t> target_rows(const Vocabularies& vocabularies, const Tokens& tokens) {
  return rows_of(vocabularies.target, vocabularies.words, tokens.target, tokens);
}

}  // namespace heed::ctranslate2
