#include "heed/data/word_pieces.h"

#include <algorithm>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/data/added_tokens.h"
#include "heed/data/piece_trie.h"
#include "heed/data/word_piece_json.h"

namespace heed {

struct WordPieces::Model {
  Model(std::string text, const std::string& name);

  void encode_part(std::u32string_view part, std::vector<int32_t>& ids) const;
  void encode_word(std::u32string_view word, std::vector<int32_t>& ids) const;

  std::string json;
  WordPieceTokenizer tokenizer;
  PieceTrie starting, continuing;
  AddedTokens in_text, in_normalised;
};

WordPieces::Model::Model(std::string text, const std::string& name)
    : json(std::move(text)), tokenizer(parse_word_piece_json(json, name)) {
  const std::string& prefix = tokenizer.prefix;
  for (size_t i = 0; i < tokenizer.pieces.size(); ++i) {
    const std::string_view piece = tokenizer.pieces[i];
    const auto id = static_cast<int32_t>(i);
    starting.add(piece, id);
    if (piece.size() > prefix.size() && piece.starts_with(prefix))
      continuing.add(piece.substr(prefix.size()), id);
  }
  for (const WordPieceToken& token : tokenizer.added) {
    std::u32string spelt = characters_of(token.text);
    if (token.normalised) spelt = tokenizer.normaliser(spelt);
    if (spelt.empty()) continue;
    (token.normalised ? in_normalised : in_text)
        .add({std::move(spelt), token.id, token.whole_word, token.takes_spaces_before,
              token.takes_spaces_after});
  }
}

void WordPieces::Model::encode_word(std::u32string_view word, std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  const std::string text = text_of(word);
  bool known = static_cast<int64_t>(word.size()) <= tokenizer.longest_word;
  for (size_t at = 0; known && at < text.size();) {
    size_t length = 0;
    int32_t longest = 0;
    (at == 0 ? starting : continuing)
        .for_each_prefix(std::string_view(text).substr(at), [&](size_t found, int32_t id) {
          length = found;
          longest = id;
        });
    known = length > 0;
    ids.push_back(longest);
    at += length;
  }
  if (known) return;
  ids.resize(before);
  ids.push_back(tokenizer.unknown);
}

void WordPieces::Model::encode_part(std::u32string_view part, std::vector<int32_t>& ids) const {
  const std::u32string normalised = tokenizer.normaliser(part);
  const AddedTokens::Split split = in_normalised.split(normalised);
  for (size_t i = 0; i < split.parts.size(); ++i) {
    if (i > 0) ids.push_back(split.tokens[i - 1]);
    for (const std::u32string_view word : bert_words(split.parts[i])) encode_word(word, ids);
  }
}

WordPieces WordPieces::load(const std::filesystem::path& path) {
  return from_json(std::string(MappedFile(path).text()), path.string());
}

WordPieces WordPieces::from_json(std::string json, const std::string& name) {
  return WordPieces(std::make_shared<const Model>(std::move(json), name));
}

int32_t WordPieces::size() const { return static_cast<int32_t>(model_->tokenizer.pieces.size()); }

std::vector<int32_t> WordPieces::encode(std::string_view text) const {
  return encode(text, INT64_MAX).ids;
}

std::vector<int32_t> WordPieces::encode_unframed(std::string_view text) const {
  const std::u32string characters = characters_of(text);
  const AddedTokens::Split split = model_->in_text.split(characters);
  std::vector<int32_t> ids;
  for (size_t i = 0; i < split.parts.size(); ++i) {
    if (i > 0) ids.push_back(split.tokens[i - 1]);
    model_->encode_part(split.parts[i], ids);
  }
  return ids;
}

std::vector<int32_t> WordPieces::framed(std::span<const int32_t> ids) const {
  std::vector<int32_t> all = model_->tokenizer.before;
  all.insert(all.end(), ids.begin(), ids.end());
  all.insert(all.end(), model_->tokenizer.after.begin(), model_->tokenizer.after.end());
  return all;
}

WordPieces::Cut WordPieces::encode(std::string_view text, int64_t most) const {
  const std::vector<int32_t>& before = model_->tokenizer.before;
  const std::vector<int32_t>& after = model_->tokenizer.after;
  const std::vector<int32_t> own = encode_unframed(text);
  Cut result{before};
  result.ids.insert(result.ids.end(), own.begin(), own.end());
  const int64_t room = std::max<int64_t>(most - static_cast<int64_t>(after.size()), 0);
  if (static_cast<int64_t>(result.ids.size()) > room) {
    result.cut = true;
    result.ids.resize(static_cast<size_t>(room));
  }
  result.ids.insert(result.ids.end(), after.begin(), after.end());
  return result;
}

const std::string& WordPieces::piece(int32_t id) const {
  require(id >= 0 && id < size(), "word pieces: id {} but 0 to {} were expected", id, size() - 1);
  return model_->tokenizer.pieces[static_cast<size_t>(id)];
}

std::optional<int32_t> WordPieces::find(std::string_view piece) const {
  return model_->starting.find(piece);
}

int32_t WordPieces::unknown() const { return model_->tokenizer.unknown; }

bool WordPieces::continues_word(int32_t id) const {
  const std::string& prefix = model_->tokenizer.prefix;
  return !prefix.empty() && piece(id).size() > prefix.size() && piece(id).starts_with(prefix);
}

const std::string& WordPieces::continuation() const { return model_->tokenizer.prefix; }

std::string_view WordPieces::spelling(int32_t id) const {
  const std::string_view whole = piece(id);
  return continues_word(id) ? whole.substr(model_->tokenizer.prefix.size()) : whole;
}

bool WordPieces::frames(int32_t id) const {
  const auto has = [&](const std::vector<int32_t>& ids) {
    return std::ranges::find(ids, id) != ids.end();
  };
  return has(model_->tokenizer.before) || has(model_->tokenizer.after);
}

const std::string& WordPieces::json() const { return model_->json; }

}  // namespace heed
