#include "heed/data/word_pieces.h"

#include <algorithm>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/data/added_tokens.h"
#include "heed/data/piece_trie.h"
#include "heed/data/word_piece_json.h"

namespace heed {

namespace {

// Which of the pieces that fit are passed over.
class PieceDropout {
 public:
  explicit PieceDropout(const WordPieces::Sampling& sampling)
      : share_(sampling.dropout), rng_(sampling.key) {}

  bool passes_over() { return rng_.uniform() < share_; }

 private:
  double share_;
  Rng rng_;
};

}  // namespace

struct WordPieces::Model {
  Model(std::string text, const std::string& name);

  // Without dropout, the longest piece is taken everywhere.
  std::vector<int32_t> encode(std::string_view text, PieceDropout* dropout) const;
  void encode_part(std::u32string_view part, PieceDropout* dropout,
                   std::vector<int32_t>& ids) const;
  void encode_word(std::u32string_view word, PieceDropout* dropout,
                   std::vector<int32_t>& ids) const;
  // False if some part of the word is not known.
  bool split_word(std::string_view word, PieceDropout* dropout, std::vector<int32_t>& ids) const;

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

bool WordPieces::Model::split_word(std::string_view word, PieceDropout* dropout,
                                   std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  for (size_t at = 0; at < word.size();) {
    size_t length = 0;
    int32_t taken = 0;
    (at == 0 ? starting : continuing)
        .for_each_prefix(word.substr(at), [&](size_t found, int32_t id) {
          if (length > 0 && dropout != nullptr && dropout->passes_over()) return;
          length = found;
          taken = id;
        });
    if (length == 0) {
      ids.resize(before);
      return false;
    }
    ids.push_back(taken);
    at += length;
  }
  return true;
}

void WordPieces::Model::encode_word(std::u32string_view word, PieceDropout* dropout,
                                    std::vector<int32_t>& ids) const {
  if (static_cast<int64_t>(word.size()) <= tokenizer.longest_word) {
    const std::string text = text_of(word);
    if (split_word(text, dropout, ids)) return;
    // A shorter piece can leave a rest that no piece begins.
    if (dropout != nullptr && split_word(text, nullptr, ids)) return;
  }
  ids.push_back(tokenizer.unknown);
}

void WordPieces::Model::encode_part(std::u32string_view part, PieceDropout* dropout,
                                    std::vector<int32_t>& ids) const {
  const std::u32string normalised = tokenizer.normaliser(part);
  const AddedTokens::Split split = in_normalised.split(normalised);
  for (size_t i = 0; i < split.parts.size(); ++i) {
    if (i > 0) ids.push_back(split.tokens[i - 1]);
    for (const std::u32string_view word : bert_words(split.parts[i]))
      encode_word(word, dropout, ids);
  }
}

std::vector<int32_t> WordPieces::Model::encode(std::string_view text, PieceDropout* dropout) const {
  const std::u32string characters = characters_of(text);
  const AddedTokens::Split split = in_text.split(characters);
  std::vector<int32_t> ids;
  for (size_t i = 0; i < split.parts.size(); ++i) {
    if (i > 0) ids.push_back(split.tokens[i - 1]);
    encode_part(split.parts[i], dropout, ids);
  }
  return ids;
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
  return model_->encode(text, nullptr);
}

std::vector<int32_t> WordPieces::sample_unframed(std::string_view text,
                                                 const Sampling& sampling) const {
  PieceDropout dropout(sampling);
  return model_->encode(text, &dropout);
}

std::vector<int32_t> WordPieces::framed(std::span<const int32_t> ids) const {
  std::vector<int32_t> all = model_->tokenizer.before;
  all.insert(all.end(), ids.begin(), ids.end());
  all.insert(all.end(), model_->tokenizer.after.begin(), model_->tokenizer.after.end());
  return all;
}

WordPieces::Cut WordPieces::encode(std::string_view text, int64_t most) const {
  return framed_and_cut(encode_unframed(text), most);
}

WordPieces::Cut WordPieces::sample(std::string_view text, int64_t most,
                                   const Sampling& sampling) const {
  return framed_and_cut(sample_unframed(text, sampling), most);
}

WordPieces::Cut WordPieces::framed_and_cut(std::span<const int32_t> own, int64_t most) const {
  const std::vector<int32_t>& before = model_->tokenizer.before;
  const std::vector<int32_t>& after = model_->tokenizer.after;
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
