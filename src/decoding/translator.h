// Text in, translations out: the translator for use in other programs.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "heed/base/text_link.h"
#include "heed/data/glossary.h"
#include "heed/data/shortlist.h"
#include "heed/data/source_tags.h"
#include "heed/data/vocabulary.h"
#include "heed/decoding/hypothesis.h"
#include "heed/decoding/search_options.h"
#include "heed/decoding/sentence_task.h"
#include "heed/decoding/word_alignment.h"
#include "heed/layers/prepared_weight.h"
#include "heed/models/search_defaults.h"
#include "heed/models/trained_lengths.h"

namespace heed {

struct Translation {
  std::string text;
  // If the line was too long for the model and translated in parts, the ids and the log-probability
  // are those of all parts, the score is their mean, it is cut if one of them is, and there is no
  // attention.
  Hypothesis hypothesis;
  WordAlignment alignment = {};  // absent if attention is not wanted
  TextLinks links = {};          // between the line and the text; none if they are not wanted
  int parts = 1;                 // of the line
  // Terms of the glossary that the line has and the translation does not: the vocabulary lacks
  // their characters, or the translation was cut.
  std::vector<size_t> missing = {};
};

struct TranslatorOptions {
  int threads = 1;

  // Source tokens, with the sentences' ends, that each thread translates at once: more keep the CPU
  // busier, fewer keep it in its caches.
  int64_t batch_tokens = 512;

  // Lines with more tokens are translated in parts. By default, the lengths seen in training
  // decide.
  std::optional<int64_t> max_source = {};
  TrainedLengths lengths = {};         // for a model that is not loaded from a folder
  SearchDefaults search = {};          // (the same)
  std::vector<std::string> tags = {};  // that the model was trained with (the same)

  // What every line is translated with unless its request names another; see source_tags.h.
  std::string tag = {};

  // Only the candidates that a shortlist has for a sentence are scored. For a model that is loaded
  // from a folder: whether its own is used, which is an Error if it has none.
  std::shared_ptr<const Shortlist> shortlist = {};
  bool use_shortlist = false;

  // What its terms are translated by must be in a translation. See Translation::missing.
  std::shared_ptr<const Glossary> glossary = {};

  // The precision of a model that is loaded from a folder.
  Precision precision = Precision::float32;
};

// One line to translate.
struct TranslationRequest {
  std::string text;
  SearchOptions options = {};
  std::string prefix = {};    // what its translations begin with
  std::string tag = {};       // in front of it; if empty, that of the translator
  bool want_links = false;    // which need attention, and so are slower
  std::stop_token stop = {};  // gives the request up
  Deadline deadline = {};     // when it is given up
};

// What became of a request: translations, the best first, or an error.
struct TranslationResult {
  std::vector<Translation> translations;
  std::exception_ptr error = nullptr;
};

// Takes any number of callers, on any threads, and translates their lines in shared steps. A
// translation does not depend on other lines, on their order or on the number of threads. Can be
// moved; lines that are not done when it goes are given up.
class Translator {
 public:
  // From a model folder. Weights stored as integers are also computed as integers.
  static Translator load(const std::filesystem::path& folder,
                         const TranslatorOptions& options = {});
  // An ensemble from several model folders. An Error if their vocabularies or their tags differ.
  static Translator load(std::span<const std::filesystem::path> folders,
                         const TranslatorOptions& options = {});

  Translator(std::shared_ptr<const Generator> model, Vocabulary source, Vocabulary target,
             const TranslatorOptions& options = {});
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;
  ~Translator();

  // Returns at once. The future holds the n best translations, or as many samples, best first;
  // fewer if the search has found fewer, and none for a line without a word.
  std::future<std::vector<Translation>> submit(TranslationRequest request) const;
  // The same for several lines, of which `done` gets the result of each with its place, as soon as
  // it is there, from one of the translator's threads. It does not throw.
  using Done = std::function<void(size_t line, TranslationResult result)>;
  void submit(std::vector<TranslationRequest> requests, const Done& done) const;

  // For a caller who would otherwise wait for what it has submitted: works on it here if one of the
  // threads has nothing to do, which saves waking that and being woken. Returns when is_done says
  // so, or earlier.
  void work_until(const std::function<bool()>& is_done) const;

  // A translation for each line; an empty line for one without a word. Without options, as the
  // model's makers search with it.
  std::vector<std::string> translate(std::span<const std::string> lines,
                                     const SearchOptions& options) const;
  std::vector<std::string> translate(std::span<const std::string> lines) const;

  // For each line its n best translations. They begin with its prefix, where there are prefixes: as
  // many as lines, each possibly empty.
  std::vector<std::vector<Translation>> translate_n_best(
      std::span<const std::string> lines, const SearchOptions& options,
      std::span<const std::string> prefixes = {}) const;
  std::vector<std::vector<Translation>> translate_n_best(
      std::vector<TranslationRequest> requests) const;

  // How the model's makers search with it. Beam and length penalty are for the caller to take; the
  // rest applies to every request.
  const SearchDefaults& search_defaults() const;
  const SourceTags& tags() const;
  const Vocabulary& source_vocabulary() const;
  const Vocabulary& target_vocabulary() const;

 private:
  class Engine;

  std::unique_ptr<Engine> engine_;
};

}  // namespace heed
