// What a training run is asked to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "heed/data/text_corpus.h"
#include "heed/data/vocabulary_fields.h"
#include "heed/training/config_fields.h"

namespace heed {

// What a model is to learn.
enum class Task { translate, language, masked, classify };

template <>
struct EnumNames<Task> {
  static constexpr NamedValue<Task> values[] = {{Task::translate, "translate"},
                                                {Task::language, "language"},
                                                {Task::masked, "masked"},
                                                {Task::classify, "classify"}};
};

template <>
struct EnumNames<DocumentEnd> {
  static constexpr NamedValue<DocumentEnd> values[] = {{DocumentEnd::file, "files"},
                                                       {DocumentEnd::blank_line, "blank-lines"},
                                                       {DocumentEnd::line, "lines"}};
};

// Only `train` and `folder` are needed. Two runs with equal settings, on whatever number of
// threads, give equal models.
struct TrainingSettings {
  Task task = Task::translate;
  // To translate, pairs of sentences: two text files, or any number of TSV, JSONL, TMX, PO or MO
  // files. For language and masked models, files of text. To classify, TSV ("label TAB text") or
  // JSONL ("text" and "label" or "labels"). All may be .gz or .zst.
  std::vector<std::string> train = {};
  std::vector<std::string> valid = {};  // empty: a part of the training text is held out
  // Other text that is mixed in: files like those of `train`, and then its share of the examples.
  std::vector<std::string> mix = {};
  // A file of links between the words of `train`, a line for each pair, that one head is to learn.
  std::string guide = {};
  double guide_weight = 0.1;  // of that head's cross-entropy, in the loss
  // A file with the weights of the pairs of `train` in the loss, a line for each.
  std::string weights = {};
  // Files with the tags of the pairs of `train` and of `valid`, a line for each; see source_tags.h.
  std::string tags = {}, valid_tags = {};
  std::vector<std::string> general = {};  // text whose scores show what is forgotten
  std::string format = {}, from = {},
              to = {};  // of the corpus; empty: by the extensions and the contents
  DocumentEnd documents = DocumentEnd::file;  // what the texts of a language model are
  int64_t max_length = 256;                   // tokens of a side; longer pairs are skipped
  int64_t max_characters = 5000;              // of a side; longer pairs are dropped
  int64_t held_out = 1000;  // most pairs to hold out if no validation pairs are given

  std::filesystem::path folder = {};  // for the model and the state of the run
  // A model folder to start from, or empty: a translator, or the encoder of a masked model or of a
  // classifier.
  std::string pretrained = {};
  std::vector<std::string> freeze = {};  // parts of it that stay as they are; see frozen_model.h
  // Rank of adapters, which learn instead of the pretrained translator; 0: it learns itself.
  int64_t adapter = 0;

  VocabularyConfig vocabulary = {};
  bool cased = false;                              // word pieces keep case and accents
  bool separate = false;                           // a vocabulary per side
  std::vector<std::string> vocabulary_files = {};  // instead of training one
  double hidden_words = 0;  // share of the words that a classifier does not see, in training
  // Alpha of subword sampling, on the source side and on the target side; of word pieces, the
  // probability that a longer one is passed over.
  std::optional<double> sampling = {};

  std::string preset = {};  // empty: by the size of the corpus
  // Settings of the model and of training that override the preset: by the names in their lists,
  // with values as text, e.g. {"dropout", "0.2"}.
  std::map<std::string, std::string> model = {}, learning = {};

  int64_t batch_tokens = 4096;
  int64_t memory = 0;  // bytes that the batch must fit; 0 for any

  TrainerConfig trainer = {};  // except for the learner and the patience, which come from here
  // Validations without a new best until the run ends; 0: never. Unset: 10 if there is no budget.
  std::optional<int> patience = {};
  int valid_beam = 1;
  int valid_lines = 1000;  // to be translated at each validation; 0 for none
  int samples = 2;         // of these, to be reported
  // Sentences whose attention is kept at each validation; see runs/watched_sentence.h.
  std::vector<std::string> watch = {};
  std::string watch_file = {};  // more of them, a line each

  uint64_t seed = 1;
  int threads = 0;       // 0: as many as there are cores
  bool scatter = false;  // send what is prepared to ranks that do not see the folder
  bool change_settings = false;

  bool operator==(const TrainingSettings&) const = default;
};

template <>
struct Fields<TrainingSettings> {
  using Settings = TrainingSettings;
  static constexpr const char *vocabulary = "Vocabulary",
                              *training = "Training (overrides the preset)",
                              *validation = "Validation", *run = "Run";
  static constexpr auto list = std::tuple(
      field("task", &Settings::task,
            "What to learn: translating, continuing texts, filling in words, labels",
            {.change = Change::refused}),
      field("train", &Settings::train,
            "Files to learn from: pairs, texts or labelled texts; .gz, .zst",
            {.change = Change::new_corpus}),
      field("valid", &Settings::valid, "The same for validation (default: some of it is held out)",
            {.change = Change::new_corpus}),
      field("mix", &Settings::mix, "Other text to mix in, and its share, as in a.en a.de 0.3",
            {.change = Change::new_corpus}),
      field("guide", &Settings::guide,
            "Links between the words of --train (heed align) that a head learns",
            {.change = Change::new_corpus, .unit = Unit::file}),
      field("guide-weight", &Settings::guide_weight, "Weight of these links in the loss",
            {.above = 0}),
      field("weights", &Settings::weights,
            "How much each pair of --train counts, a number of at least 0 a line",
            {.change = Change::new_corpus, .unit = Unit::file}),
      field("tags", &Settings::tags,
            "A word a line, or none, that the model reads before each source",
            {.change = Change::new_corpus, .unit = Unit::file}),
      field("valid-tags", &Settings::valid_tags, "The same for --valid",
            {.change = Change::new_corpus, .unit = Unit::file}),
      field("general", &Settings::general,
            "Other text to validate with, which shows what is forgotten",
            {.change = Change::new_corpus}),
      field("format", &Settings::format, "Format of the files (default: by extension)",
            {.change = Change::new_corpus, .choices = "text|tsv|jsonl|tmx|po|mo"}),
      field("from", &Settings::from, "Source language of TMX, source key of JSONL",
            {.change = Change::new_corpus}),
      field("to", &Settings::to, "Target language of TMX, target key of JSONL",
            {.change = Change::new_corpus}),
      no_setting(&Settings::folder),
      field("pretrained", &Settings::pretrained,
            "Folder of the model to start from: a translator or an encoder",
            {.change = Change::refused, .unit = Unit::model}),
      field("freeze", &Settings::freeze,
            "Part of the pretrained model that stays, as in encoder:0-3",
            {.change = Change::refused, .unit = Unit::sentence}),
      field("adapter", &Settings::adapter,
            "Rank of adapters that learn instead of the model (0: none)",
            {.least = 0, .most = 1 << 16, .change = Change::refused}),
      field("documents", &Settings::documents,
            "Where a text ends: with its file, at a blank line, or with its line",
            {.change = Change::new_corpus}),
      field("max-length", &Settings::max_length,
            "Skip pairs with more tokens than this on either side", {.least = 4, .most = 100'000}),
      field("max-characters", &Settings::max_characters,
            "Drop pairs with more characters than this on either side",
            {.least = 1, .change = Change::new_corpus, .flag = false}),
      field("held-out", &Settings::held_out,
            "Most pairs to hold out if no validation pairs are given",
            {.least = 1, .change = Change::new_corpus, .flag = false}),
      nested(&Settings::vocabulary),
      field("cased", &Settings::cased, "Word pieces keep case and accents",
            {.change = Change::refused, .group = vocabulary}),
      field("separate-vocabularies", &Settings::separate,
            "One vocabulary per language instead of a joint one",
            {.change = Change::refused, .group = vocabulary}),
      field("vocabulary-files", &Settings::vocabulary_files,
            "SentencePiece models to use, one or two; or a tokenizer.json",
            {.change = Change::refused, .group = vocabulary}),
      field("hide-words", &Settings::hidden_words,
            "Share of the words that are hidden from a classifier",
            {.least = 0, .below = 1, .group = training}),
      field("sampling", &Settings::sampling,
            "Subword sampling: alpha of unigram, or dropout of merges or pieces",
            {.least = 0, .most = 1, .group = vocabulary}),
      field("preset", &Settings::preset,
            "Model size with matching settings (default: by the size of the corpus)",
            {.choices = "tiny|small|base|rnn"}),
      no_setting(&Settings::model),     // settings in their own right
      no_setting(&Settings::learning),  // likewise
      field("batch", &Settings::batch_tokens, "Tokens per batch, counted on the longer side",
            {.least = 1, .most = 10'000'000, .group = training}),
      field("memory", &Settings::memory, "Choose the batch size to fit this much memory, e.g. 2G",
            {.least = 1, .zero_is_none = true, .unit = Unit::bytes, .group = training}),
      nested(&Settings::trainer),
      field("patience", &Settings::patience,
            "Stop after this many validations without a new best (0: never)",
            {.least = 0, .change = Change::free, .group = validation}),
      field("valid-lines", &Settings::valid_lines,
            "Lines to translate at each validation (0: none)", {.least = 0, .group = validation}),
      field("valid-beam", &Settings::valid_beam, "Beam size of these translations",
            {.least = 1, .most = 100, .group = validation}),
      field("samples", &Settings::samples, "Sample translations to show",
            {.least = 0, .change = Change::free, .group = validation}),
      field("watch", &Settings::watch,
            "Keep the attention of a sentence at each validation (repeatable)",
            {.change = Change::free, .unit = Unit::sentence, .group = validation}),
      field("watch-file", &Settings::watch_file,
            "Sentences to watch, a line each; a tab and a translation may follow",
            {.change = Change::free, .unit = Unit::file, .group = validation}),
      field("threads", &Settings::threads, "Threads (0: one per core); do not change the result",
            {.least = 0, .most = 1024, .change = Change::free, .group = run}),
      field("scatter", &Settings::scatter,
            "Send the prepared text to ranks that do not see the folder (heed-mpi)",
            {.change = Change::free, .group = run}),
      field("seed", &Settings::seed, "Random seed", {.least = 0, .group = run}),
      field("override", &Settings::change_settings,
            "Continue a run despite changed settings or a changed corpus",
            {.change = Change::free, .group = run}));
};

}  // namespace heed
