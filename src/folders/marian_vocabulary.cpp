#include "heed/folders/marian_vocabulary.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/data/sentencepiece_model.h"
#include "heed/data/word_vocabulary.h"
#include "heed/folders/marian_files.h"

namespace heed::marian {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view end_word = "</s>", unknown_word = "<unk>", start_word = "<pad>";

WordRows of_pieces(const fs::path& file, int64_t rows) {
  const Vocabulary vocabulary = Vocabulary::from_bytes(read_text(file), file.string());
  WordRows result{vocabulary, {}, {}};
  const auto pieces = static_cast<int64_t>(
      parse_sentencepiece_model(vocabulary.bytes(), file.string()).pieces.size());
  for (int32_t id = 0; id < vocabulary.start(); ++id) {
    const int64_t row = vocabulary.model_id(id);
    require(row >= 0, "{}: has no {} token", file.string(), vocabulary.piece(id));
    result.rows.push_back(row);
    result.known.push_back(true);
  }
  require(pieces == rows, "{}: has {} pieces, but the model has {} words", file.string(), pieces,
          rows);
  result.rows.push_back(-1);
  result.known.push_back(false);
  return result;
}

// The words with their numbers.
std::map<std::string, int64_t> numbered_words(const fs::path& file, int64_t rows) {
  const std::string name = plain_name(file);
  const std::string text = read_text(file);
  std::map<std::string, int64_t> words;
  const auto add = [&](const std::string& word, int64_t number) {
    if (number >= rows) return;  // a vocabulary may be cut to the size of the model
    require(words.emplace(word, number).second, "{}: the word {} occurs twice", file.string(),
            Quoted{word});
  };
  if (name.ends_with(".yml") || name.ends_with(".yaml") || name.ends_with(".json")) {
    const MarianSettings list = MarianSettings::parse(text, file.string());
    for (const MarianSettings::Entry& entry : list.entries()) {
      int64_t number = -1;
      if (entry.values.size() == 1) {
        const std::string& value = entry.values.front();
        std::from_chars(value.data(), value.data() + value.size(), number);
      }
      require(number >= 0, "{}: the word {} has no number", file.string(), Quoted{entry.name});
      add(entry.name, number);
    }
  } else {
    for (std::string_view rest = text; !rest.empty();)
      add(std::string(take_line(rest)), static_cast<int64_t>(words.size()));
  }
  for (const std::string_view needed : {end_word, unknown_word})
    require(words.contains(std::string(needed)), "{}: the word {} is missing", file.string(),
            needed);
  return words;
}

bool is_special(const std::string& word) { return word == end_word || word == unknown_word; }

// The words in the order of their numbers.
std::vector<std::string> in_order(const std::map<std::string, int64_t>& words,
                                  const fs::path& file) {
  std::map<int64_t, std::string> by_number;
  for (const auto& [word, number] : words) {
    const auto [place, is_new] = by_number.emplace(number, word);
    require(is_new, "{}: the words {} and {} have the number {}", file.string(),
            Quoted{place->second}, Quoted{word}, number);
  }
  std::vector<std::string> ordered;
  for (const auto& [number, word] : by_number)
    if (!is_special(word)) ordered.push_back(word);
  return ordered;
}

// The words in the order of their numbers, with the pieces that text is split into.
Vocabulary vocabulary_of(const std::vector<std::string>& ordered, const fs::path& file,
                         const std::optional<fs::path>& pieces) {
  if (!pieces) return word_vocabulary(ordered, file.string());
  const Vocabulary alone = Vocabulary::from_bytes(read_text(*pieces), pieces->string());
  std::vector<std::string> tokens = {std::string(end_word), std::string(unknown_word)};
  std::ranges::copy_if(ordered, std::back_inserter(tokens),
                       [](const std::string& word) { return word != start_word; });
  tokens.emplace_back(start_word);
  bool same = alone.size() == static_cast<int32_t>(tokens.size());
  for (int32_t id = 0; same && id < alone.size(); ++id)
    same = alone.piece(id) == tokens[static_cast<size_t>(id)];
  return same ? alone : alone.with_tokens(tokens, pieces->string());
}

WordRows of_words(const fs::path& file, const std::optional<fs::path>& pieces, int64_t rows) {
  const std::map<std::string, int64_t> words = numbered_words(file, rows);
  WordRows result{vocabulary_of(in_order(words, file), file, pieces), {}, {}};
  for (int32_t id = 0; id < result.vocabulary.start(); ++id) {
    std::string key = result.vocabulary.piece(id);
    constexpr std::string_view space = "▁";
    if (!pieces && key.starts_with(space)) key.erase(0, space.size());
    result.rows.push_back(words.at(key));
    result.known.push_back(true);
  }
  result.rows.push_back(-1);
  result.known.push_back(false);
  return result;
}

}  // namespace

WordRows read_vocabulary(const fs::path& file, const std::optional<fs::path>& pieces,
                         int64_t rows) {
  const std::string name = plain_name(file);
  require(!name.ends_with(".fsv"), "{}: a vocabulary of factors, which heed does not support",
          file.string());
  if (name.ends_with(".spm")) return of_pieces(file, rows);
  return of_words(file, pieces, rows);
}

}  // namespace heed::marian
