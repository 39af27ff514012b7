// How an entry of a prepared corpus becomes training examples: what the tasks differ in.
#pragma once

#include <cstdint>
#include <optional>

#include "heed/base/random.h"
#include "heed/data/corpus_store.h"
#include "heed/data/encoded_examples.h"
#include "heed/data/source_tags.h"
#include "heed/data/vocabulary.h"

namespace heed {

// Thread-safe.
class ExampleMaker {
 public:
  virtual ~ExampleMaker() = default;

  // Adds the examples of an entry, which depend only on it and on the key. False if it has to be
  // left out, because it is too long.
  virtual bool add(const PairView& entry, RandomKey key, EncodedExamples& examples) const = 0;

  // Whether another key gives other examples.
  virtual bool varies() const = 0;

  // The most tokens of an example, on its longer side.
  virtual int64_t longest() const = 0;
};

struct PairExamplesConfig {
  int64_t max_length = 256;  // pairs with more tokens on a side are left out
  SourceTags tags = {};      // that pairs may have in front of their sources
  // Alpha of Vocabulary::sample; none: no subword sampling.
  std::optional<double> source_sampling = {};
  std::optional<double> target_sampling = {};
  // Links between words become links between tokens. Not together with sampling, since sampled
  // pieces cannot be traced back to their words.
  bool with_links = false;
};

// Pairs of sentences: an entry is an example.
class PairExamples final : public ExampleMaker {
 public:
  PairExamples(Vocabulary source, Vocabulary target, PairExamplesConfig config = {});

  bool add(const PairView& entry, RandomKey key, EncodedExamples& examples) const override;
  bool varies() const override { return config_.source_sampling || config_.target_sampling; }
  int64_t longest() const override { return config_.max_length; }

 private:
  Vocabulary source_, target_;
  PairExamplesConfig config_;
};

}  // namespace heed
