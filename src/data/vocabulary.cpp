#include "heed/data/vocabulary.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/utf8_bytes.h"
#include "heed/data/moses_pieces.h"
#include "heed/data/piece_text.h"
#include "heed/data/sentencepiece_model.h"
#include "heed/data/subword_sampler.h"
#include "heed/data/word_vocabulary.h"

namespace heed {

namespace {

// SentencePiece merges a run of unknown characters by copying it for each one, so that the time for
// text without spaces would be quadratic in its length.
constexpr size_t longest_part = 8192;  // bytes

constexpr std::string_view space_mark = "▁";  // what SentencePiece writes for a space

// Of a piece that is not known, which may be several words; each begins with a space.
size_t words_in(std::string_view piece) {
  size_t words = 0;
  for (size_t at = 0; (at = piece.find(space_mark, at)) != piece.npos; at += space_mark.size())
    ++words;
  return std::max<size_t>(words, 1);
}

// Of pieces that it does not know, SentencePiece leaves the marks.
std::string with_plain_spaces(const std::string& text) {
  std::string plain;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t mark = rest.find(space_mark);
    plain += rest.substr(0, mark);
    if (mark == rest.npos) break;
    plain += ' ';
    rest.remove_prefix(mark + space_mark.size());
  }
  const size_t begin = plain.find_first_not_of(' '), end = plain.find_last_not_of(' ');
  return begin == plain.npos ? "" : plain.substr(begin, end - begin + 1);
}

// Removes the next part from the front of a text: up to a space, so that words stay whole, or up to
// the start of a character if there is none. With `keep_space`, the next part starts with that
// space; otherwise it is dropped.
std::string_view take_part(std::string_view& text, bool keep_space) {
  if (text.size() <= longest_part) return std::exchange(text, {});
  size_t end = text.rfind(' ', longest_part);
  const bool at_space = end != text.npos && end > 0;
  if (!at_space) end = longest_part;
  for (int back = 0; !at_space && back < 3 && is_inside_character(text[end]); ++back) --end;
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(at_space && !keep_space ? end + 1 : end);
  return part;
}

std::vector<TextRange> words_between_spaces(std::string_view text) {
  std::vector<TextRange> words;
  for (size_t at = text.find_first_not_of(' '); at != text.npos;) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back({at, end});
    at = text.find_first_not_of(' ', end);
  }
  return words;
}

// Without blanks at either end.
TextRange trimmed(std::string_view text, TextRange range) {
  while (range.begin < range.end && text[range.begin] == ' ') ++range.begin;
  while (range.begin < range.end && text[range.end - 1] == ' ') --range.end;
  return range;
}

}  // namespace

struct Vocabulary::Model {
  Model(std::string serialized, std::string_view name);

  // Calls visit(part) for each part of the text that is encoded separately. SentencePiece adds a
  // space before each, which replaces the one at the cut.
  template <typename Visit>
  void visit_parts(std::string_view text, const Visit& visit) const {
    do visit(take_part(text, !parsed.normalisation.adds_space_in_front));
    while (!text.empty());
  }
  // What the pieces of the text's encoding spell.
  std::string normalised(std::string_view text) const;
  // The text, or what it becomes where a line break is a word.
  std::string_view with_its_line_breaks(std::string_view text, std::string& changed) const;
  std::vector<int32_t> encode_part(std::string_view part) const;
  std::vector<int32_t> to_ours(std::vector<int32_t> their_ids) const;
  int32_t id_of(std::string_view piece) const;
  // Of the pieces of a text that need not be the model's own.
  std::vector<int32_t> ids_of(const std::vector<std::string>& pieces) const;
  std::vector<int32_t> ids_of(const std::vector<MosesPieces::Piece>& pieces) const;
  void load_processor(std::string_view name);
  void number_pieces();  // in their own order
  void number_tokens();  // pieces as the list of tokens says
  // Removes the code of a language from the front of a text for a network that has its own tokens.
  std::optional<int32_t> take_code(std::string_view& text) const;
  bool has_words() const { return parsed.kind == VocabularyKind::words; }
  // Created when first needed: translating does not need it.
  const SubwordSampler& sampler() const;

  std::string bytes;
  SentencePieceModel parsed;
  sentencepiece::SentencePieceProcessor processor;
  std::vector<int32_t> ours;  // our id for each of theirs
  // And back, without padding, the last one; -1 if the model has no such piece.
  std::vector<int32_t> theirs;
  // If there is a list of tokens, or the pieces are Moses's words.
  std::unordered_map<std::string_view, int32_t> token_ids;
  std::optional<MosesPieces> moses;
  bool line_breaks_are_words = false;

 private:
  mutable std::once_flag sampler_made_;
  mutable std::optional<SubwordSampler> sampler_;
};

Vocabulary::Model::Model(std::string serialized, std::string_view name)
    : bytes(std::move(serialized)), parsed(parse_sentencepiece_model(bytes, name)) {
  load_processor(name);
  require(processor.GetPieceSize() == static_cast<int>(parsed.pieces.size()),
          "{}: the SentencePiece model has {} pieces but {} were read", name, parsed.pieces.size(),
          processor.GetPieceSize());
  line_breaks_are_words =
      has_words() && !processor.IsUnknown(processor.PieceToId(piece_of_word("\n")));
  theirs = {processor.eos_id(), processor.unk_id()};
  ours.assign(parsed.pieces.size(), Vocabulary::end);
  ours[processor.unk_id()] = Vocabulary::unknown;
  if (parsed.tokens.empty())
    number_pieces();
  else
    number_tokens();
  if (parsed.moses) moses.emplace(*parsed.moses, name);
}

void Vocabulary::Model::load_processor(std::string_view name) {
  try {
    const auto status = processor.LoadFromSerializedProto(bytes);
    require(status.ok(), "{}: is not a SentencePiece model that can be used: {}", name,
            status.message());
  } catch (const std::exception& error) {
    // Its trie says in an exception of its own that there is no memory left.
    if (std::string_view(error.what()).find("bad_alloc") == std::string_view::npos) throw;
    throw std::bad_alloc();
  }
}

void Vocabulary::Model::number_pieces() {
  for (size_t id = 0; id < parsed.pieces.size(); ++id) {
    const PieceType type = parsed.pieces[id].type;
    if (type == PieceType::control || type == PieceType::unknown) continue;
    ours[id] = static_cast<int32_t>(theirs.size());
    theirs.push_back(static_cast<int32_t>(id));
    if (parsed.moses) token_ids.emplace(parsed.pieces[id].text.substr(space_mark.size()), ours[id]);
  }
}

void Vocabulary::Model::number_tokens() {
  for (const std::string_view token : parsed.tokens)
    token_ids.emplace(token, static_cast<int32_t>(token_ids.size()));
  theirs.resize(parsed.tokens.size() - 1, -1);
  for (size_t id = 0; id < parsed.pieces.size(); ++id) {
    const ModelPiece& piece = parsed.pieces[id];
    if (piece.type == PieceType::control || piece.type == PieceType::unknown) continue;
    const auto found = token_ids.find(piece.text);
    ours[id] = found == token_ids.end() ? Vocabulary::unknown : found->second;
    if (ours[id] > Vocabulary::unknown &&
        found->second + 1 < static_cast<int32_t>(token_ids.size()))
      theirs[ours[id]] = static_cast<int32_t>(id);
  }
}

int32_t Vocabulary::Model::id_of(std::string_view piece) const {
  const auto found = token_ids.find(piece);
  return found == token_ids.end() ? Vocabulary::unknown : found->second;
}

std::vector<int32_t> Vocabulary::Model::ids_of(const std::vector<std::string>& pieces) const {
  std::vector<int32_t> ids;
  for (const std::string& piece : pieces) ids.push_back(id_of(piece));
  return ids;
}

std::vector<int32_t> Vocabulary::Model::ids_of(
    const std::vector<MosesPieces::Piece>& pieces) const {
  std::vector<int32_t> ids;
  for (const MosesPieces::Piece& piece : pieces) ids.push_back(id_of(piece.text));
  return ids;
}

std::optional<int32_t> Vocabulary::Model::take_code(std::string_view& text) const {
  constexpr std::string_view opening = ">>", closing = "<<";
  const size_t last = text.find(closing);
  if (parsed.tokens.empty() || !text.starts_with(opening) || last == text.npos) return std::nullopt;
  const std::string code(text.substr(0, last + closing.size()));
  text.remove_prefix(code.size());
  return id_of(code);
}

std::string Vocabulary::Model::normalised(std::string_view text) const {
  // SentencePiece returns the normalised text only together with an encoding, which takes longer
  // than everything else.
  if (parsed.normalisation.keeps_characters) return piece_text(text, parsed.normalisation);
  std::string result;
  visit_parts(text, [&](std::string_view part) {
    const sentencepiece::ImmutableSentencePieceText encoded =
        processor.EncodeAsImmutableProto(part);
    for (const auto& piece : encoded.pieces()) {
      const ModelPiece& known = parsed.pieces[piece.id()];
      if (known.type == PieceType::byte)
        result += static_cast<char>(known.byte);
      else
        result += piece.piece();
    }
  });
  return result;
}

std::string_view Vocabulary::Model::with_its_line_breaks(std::string_view text,
                                                         std::string& changed) const {
  if (!line_breaks_are_words || text.find('\n') == text.npos) return text;
  changed = with_separate_line_breaks(text);
  return changed;
}

const SubwordSampler& Vocabulary::Model::sampler() const {
  std::call_once(sampler_made_, [this] { sampler_.emplace(parsed); });
  return *sampler_;
}

std::vector<int32_t> Vocabulary::Model::encode_part(std::string_view part) const {
  std::vector<int32_t> ids;
  if (!parsed.tokens.empty()) {
    std::vector<std::string> pieces;
    const auto status = processor.Encode(part, &pieces);
    require(status.ok(), "vocabulary: the text cannot be encoded: {}", status.message());
    return ids_of(pieces);
  }
  if (!has_words()) {
    const auto status = processor.Encode(part, &ids);
    require(status.ok(), "vocabulary: the text cannot be encoded: {}", status.message());
    return to_ours(std::move(ids));
  }
  // SentencePiece makes one piece of several unknown words, which are to be as many ids.
  const sentencepiece::ImmutableSentencePieceText encoded = processor.EncodeAsImmutableProto(part);
  for (const auto& piece : encoded.pieces()) {
    const bool is_unknown = ours[piece.id()] == Vocabulary::unknown;
    ids.insert(ids.end(), is_unknown ? words_in(piece.piece()) : 1, ours[piece.id()]);
  }
  return ids;
}

std::vector<int32_t> Vocabulary::Model::to_ours(std::vector<int32_t> their_ids) const {
  for (int32_t& id : their_ids) id = ours[id];
  return their_ids;
}

Vocabulary Vocabulary::load(const std::filesystem::path& path) {
  return from_bytes(std::string(MappedFile(path).text()), path.string());
}

Vocabulary Vocabulary::from_bytes(std::string bytes, std::string_view name) {
  return Vocabulary(std::make_shared<const Model>(std::move(bytes), name));
}

Vocabulary Vocabulary::with_tokens(std::span<const std::string> tokens,
                                   std::string_view name) const {
  return from_bytes(heed::with_tokens(plain_bytes(), tokens), name);
}

bool Vocabulary::has_tokens() const { return !model_->parsed.tokens.empty(); }

bool Vocabulary::is_for_moses() const { return model_->moses.has_value(); }

int32_t Vocabulary::size() const { return static_cast<int32_t>(model_->theirs.size()) + 1; }

std::vector<int32_t> Vocabulary::encode(std::string_view text) const {
  if (model_->moses) return model_->ids_of(model_->moses->split(text));
  std::vector<int32_t> ids;
  std::string changed;
  if (const std::optional<int32_t> code = model_->take_code(text)) ids.push_back(*code);
  const size_t first = ids.size();
  model_->visit_parts(model_->with_its_line_breaks(text, changed), [&](std::string_view part) {
    const std::vector<int32_t> more = model_->encode_part(part);
    // Unknown characters on both sides of a cut are merged, as elsewhere.
    const bool goes_on = !model_->has_words() && ids.size() > first && !more.empty() &&
                         ids.back() == unknown && more.front() == unknown;
    ids.insert(ids.end(), more.begin() + (goes_on ? 1 : 0), more.end());
  });
  return ids;
}

std::vector<TextRange> Vocabulary::encoded_ranges(std::string_view text) const {
  std::vector<TextRange> ranges;
  if (model_->moses) {
    for (const MosesPieces::Piece& piece : model_->moses->split(text))
      ranges.push_back(piece.range);
    return ranges;
  }
  if (text.find('\n') != text.npos) return ranges;
  if (model_->has_words()) return words_between_spaces(text);
  std::string_view rest = text;
  if (model_->take_code(rest)) ranges.push_back({0, text.size() - rest.size()});
  bool ends_unknown = false;
  model_->visit_parts(rest, [&](std::string_view part) {
    const auto offset = static_cast<size_t>(part.data() - text.data());
    const auto encoded = model_->processor.EncodeAsImmutableProto(part);
    bool is_first = true;
    for (const auto& piece : encoded.pieces()) {
      const bool is_unknown = model_->ours[piece.id()] == unknown;
      const TextRange range = trimmed(text, {offset + piece.begin(), offset + piece.end()});
      // See encode().
      if (std::exchange(is_first, false) && is_unknown && ends_unknown)
        ranges.back().end = range.end;
      else
        ranges.push_back(range);
      ends_unknown = is_unknown;
    }
  });
  return ranges;
}

std::vector<std::string> Vocabulary::unknown_parts(std::string_view text) const {
  std::vector<std::string> parts;
  if (model_->moses) {
    for (const MosesPieces::Piece& piece : model_->moses->split(text))
      if (model_->id_of(piece.text) == unknown)
        parts.emplace_back(text.substr(piece.range.begin, piece.range.size()));
    return parts;
  }
  model_->take_code(text);
  const sentencepiece::ImmutableSentencePieceText encoded =
      model_->processor.EncodeAsImmutableProto(text);
  for (const auto& piece : encoded.pieces()) {
    const int32_t id = has_tokens() ? model_->id_of(piece.piece()) : model_->ours[piece.id()];
    if (id == unknown) parts.push_back(piece.surface());
  }
  return parts;
}

std::vector<int32_t> Vocabulary::sample(std::string_view text, double alpha, RandomKey key) const {
  if (model_->moses) return model_->ids_of(model_->moses->sample(text, alpha, key));
  if (!model_->sampler().can_sample()) return encode(text);
  std::vector<int32_t> ids;
  if (const std::optional<int32_t> code = model_->take_code(text)) ids.push_back(*code);
  const std::vector<int32_t> more =
      model_->to_ours(model_->sampler().sample(model_->normalised(text), alpha, key));
  ids.insert(ids.end(), more.begin(), more.end());
  return ids;
}

std::string Vocabulary::decode(std::span<const int32_t> ids) const {
  std::vector<int> known;
  std::vector<std::string> pieces;
  for (const int32_t id : ids) {
    require(id >= 0 && id < size(), "vocabulary: id {} but 0 to {} were expected", id, size() - 1);
    if (id == end) break;
    if (id == unknown || id == start()) continue;
    if (has_tokens() || is_for_moses())
      pieces.push_back(piece(id));
    else
      known.push_back(model_->theirs[id]);
  }
  if (model_->moses) return model_->moses->join(pieces).text;
  std::string text;
  const auto status = has_tokens() ? model_->processor.Decode(pieces, &text)
                                   : model_->processor.Decode(known, &text);
  require(status.ok(), "vocabulary: the ids cannot be decoded: {}", status.message());
  return has_tokens() ? with_plain_spaces(text) : text;
}

std::vector<TextRange> Vocabulary::decoded_ranges(std::span<const int32_t> ids) const {
  std::vector<int> known;
  std::vector<std::string> pieces;
  std::vector<size_t> places;
  for (size_t i = 0; i < ids.size() && ids[i] != end; ++i) {
    if (ids[i] == unknown || ids[i] == start()) continue;
    require(ids[i] >= 0 && ids[i] < size(), "vocabulary: id {} but 0 to {} were expected", ids[i],
            size() - 1);
    known.push_back(model_->theirs[ids[i]]);
    places.push_back(i);
    if (is_for_moses()) pieces.push_back(piece(ids[i]));
  }
  std::vector<TextRange> ranges(ids.size());
  if (model_->moses) {
    const MosesPieces::Joined joined = model_->moses->join(pieces);
    for (size_t i = 0; i < places.size(); ++i) ranges[places[i]] = joined.ranges[i];
    return ranges;
  }
  const auto decoded = model_->processor.DecodeIdsAsImmutableProto(known);
  for (size_t i = 0; i < decoded.pieces_size() && i < places.size(); ++i)
    ranges[places[i]] = trimmed(decoded.text(), {decoded.pieces(static_cast<int>(i)).begin(),
                                                 decoded.pieces(static_cast<int>(i)).end()});
  return ranges;
}

std::string Vocabulary::piece(int32_t id) const {
  require(id >= 0 && id < size(), "vocabulary: id {} but 0 to {} were expected", id, size() - 1);
  if (id == end) return "</s>";
  if (id == unknown) return "<unk>";
  if (id == start()) return "<pad>";
  if (has_tokens()) return std::string(model_->parsed.tokens[static_cast<size_t>(id)]);
  const std::string_view text = model_->parsed.pieces[model_->theirs[id]].text;
  return std::string(is_for_moses() ? text.substr(space_mark.size()) : text);
}

std::vector<bool> Vocabulary::word_starts(std::span<const int32_t> ids) const {
  std::vector<bool> starts(ids.size());
  if (!model_->moses) {
    for (size_t i = 0; i < ids.size(); ++i) starts[i] = piece(ids[i]).starts_with(space_mark);
    return starts;
  }
  // Marks are words for Moses, but not in the text. A piece that is not known is one, too.
  std::vector<std::string> pieces;
  for (const int32_t id : ids)
    pieces.push_back(id == end || id == start() ? "" : id == unknown ? "\uFFFD" : piece(id));
  const MosesPieces::Joined joined = model_->moses->join(pieces);
  for (size_t i = 0; i < ids.size(); ++i) {
    const TextRange range = joined.ranges[i];
    starts[i] = range.size() > 0 && (range.begin == 0 || joined.text[range.begin - 1] == ' ');
  }
  return starts;
}

bool Vocabulary::goes_on(int32_t id) const {
  return is_for_moses() && piece(id).ends_with(word_goes_on);
}

int32_t Vocabulary::model_id(int32_t id) const {
  require(id >= 0 && id < size(), "vocabulary: id {} but 0 to {} were expected", id, size() - 1);
  if (has_tokens()) return id;
  if (id != start()) return model_->theirs[id];
  const int32_t begin = model_->processor.bos_id();
  return begin >= 0 ? begin : id;
}

const std::string& Vocabulary::bytes() const { return model_->bytes; }

std::string_view Vocabulary::plain_bytes() const {
  return std::string_view(model_->bytes).substr(0, model_->parsed.plain_bytes);
}

bool Vocabulary::same_ids(const Vocabulary& other) const {
  if (size() != other.size()) return false;
  for (int32_t id = 0; id < size(); ++id)
    if (piece(id) != other.piece(id)) return false;
  return true;
}

}  // namespace heed
