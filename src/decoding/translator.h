// Text in, translations out: the translator for use in other programs.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/vocabulary.h"
#include "heed/decoding/hypothesis.h"
#include "heed/decoding/search_options.h"
#include "heed/decoding/word_alignment.h"
#include "heed/models/model.h"
#include "heed/models/trained_lengths.h"

namespace heed {

struct Translation {
  std::string text;
  // If the line was too long for the model and translated in parts, the ids and the log-probability
  // are those of all parts, the score is their mean, it is cut if one of them is, and there is no
  // attention.
  Hypothesis hypothesis;
  WordAlignment alignment = {};  // absent if attention is not wanted
  int parts = 1;                 // of the line
};

struct TranslatorOptions {
  int threads = 1;

  // Source tokens per batch, including ends of sentences: larger batches use the CPU better,
  // smaller ones stay in the cache and let threads share the work evenly.
  int64_t batch_tokens = 512;

  // Lines with more tokens are translated in parts. By default, the lengths seen in training
  // decide.
  std::optional<int64_t> max_source = {};
  TrainedLengths lengths = {};  // for a model that is not loaded from a folder

  // The precision of a model that is loaded from a folder.
  Precision precision = Precision::float32;
};

// May be used by several threads at once; they take turns.
class Translator {
 public:
  // From a model folder. Weights stored as integers are also computed as integers.
  static Translator load(const std::filesystem::path& folder,
                         const TranslatorOptions& options = {});
  // An ensemble from several model folders. An Error if their vocabularies differ.
  static Translator load(std::span<const std::filesystem::path> folders,
                         const TranslatorOptions& options = {});

  Translator(std::shared_ptr<const Model> model, Vocabulary source, Vocabulary target,
             const TranslatorOptions& options = {});

  // A translation for each line; an empty one for a line without words. The result does not depend
  // on the other lines, on their order or on the number of threads.
  std::vector<std::string> translate(std::span<const std::string> lines,
                                     const SearchOptions& options = {}) const;

  // For each line, its n best translations or n samples, best first; fewer if the search has found
  // fewer. Translations start with the line's prefix; there are no prefixes, or one for each line,
  // possibly empty.
  std::vector<std::vector<Translation>> translate_n_best(
      std::span<const std::string> lines, const SearchOptions& options,
      std::span<const std::string> prefixes = {}) const;

  const Vocabulary& source_vocabulary() const { return source_; }
  const Vocabulary& target_vocabulary() const { return target_; }

 private:
  int64_t batch_tokens(const SearchOptions& search) const;
  int64_t longest_part() const;

  std::shared_ptr<const Model> model_;
  Vocabulary source_;
  Vocabulary target_;
  TranslatorOptions options_;
  mutable std::mutex mutex_;  // of the workers
  mutable Workers workers_;
};

}  // namespace heed
