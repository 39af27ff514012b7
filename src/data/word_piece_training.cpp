#include "heed/data/word_piece_training.h"

#include <array>
#include <set>
#include <string>
#include <vector>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/data/bert_normaliser.h"
#include "heed/data/word_counts.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

constexpr std::array<const char*, 5> special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]",
                                                       "[MASK]"};
constexpr int32_t start_token = 2, end_token = 3;
constexpr size_t longest_word = 100;        // in characters; longer ones are unknown, as in BERT
constexpr char32_t word_start = U'\u2581';  // "▁", SentencePiece's mark
constexpr std::string_view word_start_text = "\u2581";

BertNormaliser normaliser(const WordPieceConfig& config) {
  return {.strips_accents = config.lowercase, .lowercases = config.lowercase};
}

// The words of a text, as SentencePiece reads them, and which characters begin and continue them.
struct Words {
  WordCounts counts;
  std::set<char32_t> beginning, continuing;

  void add(std::u32string_view text) {
    std::string sentence;
    for (const std::u32string_view word : bert_words(text)) {
      if (word.size() > longest_word || word.find(word_start) != word.npos) continue;
      beginning.insert(word.front());
      continuing.insert(word.begin() + 1, word.end());
      sentence += text_of(word) + ' ';
    }
    counts.add(sentence);
  }
};

Words read_words(const WordPieceConfig& config, const SentenceSource& source) {
  Words words{WordCounts(config.most_words, config.seed), {}, {}};
  const BertNormaliser normalise = normaliser(config);
  for (std::string sentence; source(sentence);) words.add(normalise(characters_of(sentence)));
  return words;
}

// Pieces in the order of their ids, each once.
class PieceList {
 public:
  void add(std::string piece) {
    if (known_.insert(piece).second) pieces_.push_back(std::move(piece));
  }
  size_t size() const { return pieces_.size(); }
  const std::vector<std::string>& pieces() const { return pieces_; }

 private:
  std::vector<std::string> pieces_;
  std::set<std::string> known_;
};

PieceList alphabet(const Words& words) {
  PieceList list;
  for (const char* token : special_tokens) list.add(token);
  for (const char32_t character : words.beginning) list.add(text_of({&character, 1}));
  for (const char32_t character : words.continuing) list.add("##" + text_of({&character, 1}));
  return list;
}

// "▁the" begins a word, "ing" continues one. Single characters are in the alphabet.
void add_merged(PieceList& list, std::string_view piece) {
  if (characters_of(piece).size() == 1) return;
  if (!piece.starts_with(word_start_text)) return list.add(fmt::format("##{}", piece));
  list.add(std::string(piece.substr(word_start_text.size())));
}

Json frame(const char* token, int type) {
  return {{"SpecialToken", {{"id", token}, {"type_id", type}}}};
}

Json text_of_frame(const char* name, int type) {
  return {{"Sequence", {{"id", name}, {"type_id", type}}}};
}

Json post_processor() {
  const char *start = special_tokens[start_token], *end = special_tokens[end_token];
  const auto described = [](const char* token, int32_t id) {
    return json_object<Json>(
        {{"id", token}, {"ids", std::array{id}}, {"tokens", std::array{token}}});
  };
  return json_object<Json>(
      {{"type", "TemplateProcessing"},
       {"single", {frame(start, 0), text_of_frame("A", 0), frame(end, 0)}},
       {"pair",
        {frame(start, 0), text_of_frame("A", 0), frame(end, 0), text_of_frame("B", 1),
         frame(end, 1)}},
       {"special_tokens", json_object<Json>({{start, described(start, start_token)},
                                             {end, described(end, end_token)}})}});
}

std::string tokenizer_json(const WordPieceConfig& config, const std::vector<std::string>& pieces) {
  Json added = Json::array();
  for (size_t i = 0; i < special_tokens.size(); ++i)
    added.push_back(json_object<Json>({{"id", i},
                                       {"content", special_tokens[i]},
                                       {"single_word", false},
                                       {"lstrip", false},
                                       {"rstrip", false},
                                       {"normalized", false},
                                       {"special", true}}));
  const Json json = json_object<Json>(
      {{"version", "1.0"},
       {"truncation", nullptr},
       {"padding", nullptr},
       {"added_tokens", added},
       {"normalizer", json_object<Json>({{"type", "BertNormalizer"},
                                         {"clean_text", true},
                                         {"handle_chinese_chars", true},
                                         {"strip_accents", nullptr},
                                         {"lowercase", config.lowercase}})},
       {"pre_tokenizer", json_object<Json>({{"type", "BertPreTokenizer"}})},
       {"post_processor", post_processor()},
       {"decoder", json_object<Json>({{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}})},
       {"model", json_object<Json>({{"type", "WordPiece"},
                                    {"unk_token", special_tokens[1]},
                                    {"continuing_subword_prefix", "##"},
                                    {"max_input_chars_per_word", longest_word},
                                    {"vocab", Json::object()}})}});
  // An object that keeps the order of its keys would search them all for every one.
  std::string entries;
  for (size_t i = 0; i < pieces.size(); ++i)
    entries += fmt::format("{}\n   {}: {}", i == 0 ? "" : ",", Json(pieces[i]).dump(), i);
  std::string text = json.dump(1);
  text.insert(text.rfind("{}") + 1, entries + "\n  ");
  return text + "\n";
}

}  // namespace

WordPieces train_word_pieces(const WordPieceConfig& config, const SentenceSource& source) {
  const Words words = read_words(config, source);
  const TextSize text = words.counts.size();
  require(text.words > 0, "there is no text to learn word pieces from");
  PieceList list = alphabet(words);
  const int wanted = config.size > 0 ? config.size : pick_vocabulary_size(text);
  require(config.size == 0 || list.size() <= static_cast<size_t>(config.size),
          "{} word pieces are too few for the characters of the text: {} are the fewest",
          config.size, list.size());
  // Of what SentencePiece finds, "▁" and each "▁x" are no pieces of their own here.
  const auto spare = static_cast<int>(words.beginning.size()) + smallest_vocabulary + 1;
  const Vocabulary found = train_vocabulary({.kind = VocabularyKind::bpe,
                                             .size = wanted + spare,
                                             .tokenised = true,
                                             .byte_fallback = false,
                                             .seed = config.seed},
                                            words.counts);
  for (int32_t id = Vocabulary::unknown + 1; id < found.start(); ++id)
    if (list.size() < static_cast<size_t>(wanted)) add_merged(list, found.piece(id));
  require(config.size == 0 || list.size() == static_cast<size_t>(config.size),
          "{} word pieces are more than the text supports: {} are the most", config.size,
          list.size());
  return WordPieces::from_json(tokenizer_json(config, list.pieces()));
}

}  // namespace heed
