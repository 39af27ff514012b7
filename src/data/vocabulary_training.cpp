#include "heed/data/vocabulary_training.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/workers.h"
#include "heed/data/sentence_sample.h"
#include "heed/data/word_vocabulary.h"

namespace heed {

namespace {

constexpr int largest_size = 1 << 24;
constexpr int byte_pieces = 256;

bool keeps_spaces(const VocabularyConfig& config) {
  return config.running && config.kind != VocabularyKind::words;
}

using Settings = std::unordered_map<std::string, std::string>;

// The input of SentencePiece. Unigram starts from substrings of whole sentences; the other kinds
// need only words and their counts, which are smaller.
struct TrainingText {
  std::vector<std::string> lines;
  TextSize size;
  std::string symbols;  // of running text, besides its words: line breaks and tabs
};

std::vector<std::string> lines_of(const WordCounts& words) {
  std::vector<std::string> lines;
  for (const auto& [word, count] : words.counts())
    lines.push_back(fmt::format("{}\t{}", word, count));
  return lines;
}

constexpr std::string_view space_mark = "\xE2\x96\x81";  // what SentencePiece writes for a space

// "a  b" as "a ▁ ▁b": words with the spaces in front of them, which are only separated here.
std::string with_marked_spaces(std::string_view line) {
  std::string marked;
  for (const char byte : line) {
    marked += byte;
    if (byte == ' ') marked += space_mark;
  }
  return marked;
}

// Calls use(line) for each line of a text.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
  for (size_t end = 0; end != text.npos; text.remove_prefix(end == text.npos ? 0 : end + 1)) {
    end = text.find('\n');
    use(std::string(text.substr(0, end)));
  }
}

TrainingText read_text(const VocabularyConfig& config, const SentenceSource& source) {
  WordCounts words(config.most_words, config.seed);
  SentenceSample sample(config.most_bytes, config.seed);
  const bool needs_sentences = config.kind == VocabularyKind::unigram;
  const bool marks_spaces = keeps_spaces(config) && !needs_sentences;
  const auto add = [&](std::string sentence) {
    std::ranges::replace(sentence, '\t', ' ');  // SentencePiece skips lines with tabs
    words.add(marks_spaces ? with_marked_spaces(sentence) : sentence);
    if (needs_sentences) sample.add(sentence);
  };
  TrainingText text;
  for (std::string sentence; source(sentence);) {
    if (!config.running) {
      add(std::move(sentence));
      continue;
    }
    for (const char symbol : {'\n', '\t'})
      if (sentence.find(symbol) != sentence.npos && text.symbols.find(symbol) == text.symbols.npos)
        text.symbols += symbol;
    if (config.kind == VocabularyKind::words)
      add(with_separate_line_breaks(sentence));
    else
      for_each_line(sentence, add);
  }
  text.size = words.size();
  text.lines = needs_sentences ? std::move(sample).take() : lines_of(words);
  return text;
}

// "\n" and "\t" as "\n,\t"; vocabularies of words have no pieces that are none.
std::string user_defined(const VocabularyConfig& config, std::string_view symbols) {
  return keeps_spaces(config) ? fmt::format("{}", fmt::join(symbols, ",")) : std::string();
}

// Passes lines to SentencePiece.
class LineQueue : public sentencepiece::SentenceIterator {
 public:
  explicit LineQueue(const std::vector<std::string>& lines) : lines_(lines) {}

  bool done() const override { return index_ == lines_.size(); }
  void Next() override { ++index_; }
  const std::string& value() const override { return lines_[index_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& lines_;
  size_t index_ = 0;
};

const char* name_for_sentencepiece(VocabularyKind kind) {
  switch (kind) {
    case VocabularyKind::unigram:
      return "unigram";
    case VocabularyKind::bpe:
      return "bpe";
    case VocabularyKind::characters:
      return "char";
    case VocabularyKind::words:
      return "word";
  }
  __builtin_unreachable();
}

bool has_subwords(VocabularyKind kind) {
  return kind == VocabularyKind::unigram || kind == VocabularyKind::bpe;
}

bool uses_bytes(const VocabularyConfig& config, int size) {
  return has_subwords(config.kind) && config.byte_fallback && size >= 10 * byte_pieces;
}

// `exact`: this many pieces or failure; otherwise fewer if the text supports no more.
Settings settings_for(const VocabularyConfig& config, int size, bool exact,
                      std::string_view symbols) {
  const auto text = [](bool flag) { return std::string(flag ? "true" : "false"); };
  const bool bytes = uses_bytes(config, size);
  Settings settings = {
      {"model_type", name_for_sentencepiece(config.kind)},
      {"vocab_size", std::to_string(size - 1)},  // SentencePiece has no padding
      {"hard_vocab_limit", text(exact)},
      {"eos_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "-1"},
      {"pad_id", "-1"},
      {"byte_fallback", text(bytes)},
      // With byte fallback, the rarest characters need no pieces of their own.
      {"character_coverage", bytes ? "0.9999" : "1"},
      {"normalization_rule_name", "identity"},
      {"remove_extra_whitespaces", text(!config.tokenised && !keeps_spaces(config))},
      {"add_dummy_prefix", text(!keeps_spaces(config))},
      {"user_defined_symbols", user_defined(config, symbols)},
      {"split_by_unicode_script", text(!config.tokenised)},
      {"split_by_number", text(!config.tokenised)},
      {"max_sentence_length", "65536"},
      // The sums of the unigram trainer depend on its number of threads, so it must not depend on
      // the machine.
      {"num_threads", "4"},
      {"minloglevel", "3"},
  };
  if (config.kind != VocabularyKind::unigram)
    settings["input_format"] = "tsv";  // a word and its count
  if (!has_subwords(config.kind) && config.size == 0) settings["use_all_vocab"] = "true";
  return settings;
}

// Nothing if SentencePiece refuses, with its reason in `reason`.
std::optional<Vocabulary> try_to_train(const Settings& settings,
                                       const std::vector<std::string>& lines, std::string& reason) {
  LineQueue queue(lines);
  std::string bytes;
  // It has threads of its own.
  const auto status = starting_threads(
      [&] { return sentencepiece::SentencePieceTrainer::Train(settings, &queue, &bytes); });
  if (status.ok()) return Vocabulary::from_bytes(std::move(bytes));
  reason = printable(status.message());
  return std::nullopt;
}

// Finds out why a vocabulary of the requested size is impossible.
[[noreturn]] void explain_failure(const VocabularyConfig& config, const TrainingText& text,
                                  std::string reason) {
  const std::vector<std::string>& lines = text.lines;
  // The largest size may be so small that byte fallback is dropped, so it is tried until it works.
  int size = config.size;
  for (auto largest = try_to_train(settings_for(config, size, false, text.symbols), lines, reason);
       largest && largest->size() < size;
       largest = try_to_train(settings_for(config, size, false, text.symbols), lines, reason))
    size = largest->size();
  require(size == config.size,
          "a vocabulary of {} is more than the text supports: {} is the largest", config.size,
          size);
  const bool bytes = uses_bytes(config, config.size);
  Settings settings = settings_for(config, config.size, false, text.symbols);
  settings["model_type"] = name_for_sentencepiece(VocabularyKind::characters);
  settings["use_all_vocab"] = "true";
  settings["byte_fallback"] = "false";
  std::string other_reason;
  const auto smallest = try_to_train(settings, lines, other_reason);
  const int needed = smallest ? smallest->size() + (bytes ? byte_pieces : 0) : 0;
  require(needed <= config.size,
          "a vocabulary of {} is too small for the characters of the text: {} is the smallest",
          config.size, needed);
  fail("a vocabulary of {} cannot be trained: {}", config.size, reason);
}

// If no size was requested.
int default_size(const VocabularyConfig& config, const TrainingText& text) {
  if (has_subwords(config.kind)) return pick_vocabulary_size(text.size);
  constexpr int special_ids = 3;
  const int64_t all = config.kind == VocabularyKind::words
                          ? text.size.distinct_words
                          : text.size.distinct_characters + std::ssize(text.symbols);
  return static_cast<int>(std::min<int64_t>(all + special_ids, largest_size));
}

}  // namespace

int pick_vocabulary_size(const TextSize& text) {
  constexpr double most = 32000;
  constexpr double characters_of_a_word = 5;  // for languages without spaces between words
  const double words = std::max(static_cast<double>(text.words),
                                static_cast<double>(text.characters) / characters_of_a_word / 2);
  const double wanted =
      std::min({most, 100 * std::cbrt(words), static_cast<double>(text.distinct_words) / 3});
  const double needed = 2.0 * static_cast<double>(text.distinct_characters) + byte_pieces;
  const double size = std::max(wanted, needed);
  constexpr int step = 8;  // matrices of such sizes fill whole vectors
  return static_cast<int>(std::min<double>(std::ceil(size / step) * step, largest_size));
}

Vocabulary train_vocabulary(const VocabularyConfig& config, const SentenceSource& source) {
  require(config.size == 0 || (config.size >= smallest_vocabulary && config.size <= largest_size),
          "a vocabulary of {} but {} to {} was expected, or 0 for a size that suits the text",
          config.size, smallest_vocabulary, largest_size);
  require(config.most_words >= 1 && config.most_bytes >= 1,
          "a vocabulary from {} words and {} bytes but at least 1 was expected", config.most_words,
          config.most_bytes);
  const TrainingText text = read_text(config, source);
  const std::vector<std::string>& lines = text.lines;
  require(text.size.words > 0 && !lines.empty(), "there is no text to learn a vocabulary from");
  const bool exact = config.size != 0;
  std::string reason;
  const Settings settings =
      settings_for(config, exact ? config.size : default_size(config, text), exact, text.symbols);
  const auto vocabulary = try_to_train(settings, lines, reason);
  // A model of characters is smaller than it should be without a word.
  if (vocabulary && (!exact || vocabulary->size() == config.size)) return *vocabulary;
  require(exact, "a vocabulary cannot be trained: {}", reason);
  explain_failure(config, text, reason);
}

Vocabulary train_vocabulary(const VocabularyConfig& config, const WordCounts& words) {
  std::string reason;
  const auto vocabulary =
      try_to_train(settings_for(config, config.size, false, ""), lines_of(words), reason);
  require(vocabulary.has_value(), "a vocabulary cannot be trained: {}", reason);
  return *vocabulary;
}

}  // namespace heed
