// Text in, translations out: what a program embeds to translate.
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
  // A line that was too long for the model was translated in parts: then the ids and the
  // log-probability are those of all parts, the score is their mean, it is cut if one of them is,
  // and there is no attention.
  Hypothesis hypothesis;
  WordAlignment alignment = {};  // absent where attention is not wanted
  int parts = 1;                 // that the line was translated in
};

struct TranslatorOptions {
  int threads = 1;

  // Source tokens, with the sentences' ends, that are translated at once: more keep the CPU busier,
  // fewer keep it in its caches and let several threads share the work evenly.
  int64_t batch_tokens = 512;

  // Lines of more tokens are translated in parts. If not given, the lengths decide that the model
  // has learnt from.
  std::optional<int64_t> max_source = {};
  TrainedLengths lengths = {};  // of a model that is not loaded from a folder, which knows them

  // What a model is computed with that is loaded from its folder.
  Precision precision = Precision::float32;
};

// May be used by several threads at once; they take turns.
class Translator {
 public:
  // From a model's folder. Weights that are stored as integers are computed with as such.
  static Translator load(const std::filesystem::path& folder,
                         const TranslatorOptions& options = {});
  // From the folders of several models, which translate together. An Error if their vocabularies
  // differ.
  static Translator load(std::span<const std::filesystem::path> folders,
                         const TranslatorOptions& options = {});

  Translator(std::shared_ptr<const Model> model, Vocabulary source, Vocabulary target,
             const TranslatorOptions& options = {});

  // A translation for each line; an empty line for one without a word. The result does not depend
  // on the other lines, on their order or on the number of threads.
  std::vector<std::string> translate(std::span<const std::string> lines,
                                     const SearchOptions& options = {}) const;

  // For each line its n best translations, or as many samples, best first; fewer if the search has
  // found fewer. A line's translations begin with its prefix, where there are prefixes: as many as
  // lines, each possibly empty.
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
