// Looks at some sentences, and at what each head does, while a model is being trained.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/corpus_store.h"
#include "heed/data/source_tags.h"
#include "heed/data/vocabulary.h"
#include "heed/models/model.h"
#include "heed/models/trained_lengths.h"
#include "heed/runs/watched_sentence.h"
#include "heed/runs/watched_step.h"

namespace heed {

struct WatchOptions {
  int beam = 1;              // of the model's own translations
  int64_t max_length = 256;  // most tokens of a sentence, with its end
  // The heads are described over this many pairs from the beginning of the validation set, with
  // their given targets: the same text at every step, so what changes is the model.
  int pairs = 100;
  TrainedLengths lengths = {};
  std::vector<std::string> tags = {};  // of the model
};

class AttentionWatch {
 public:
  // An Error if the model has no attention, or says where a sentence that it cannot read was given.
  AttentionWatch(std::vector<WatchedSentence> sentences, const CorpusStore& validation,
                 Vocabulary source, Vocabulary target, const Model& model,
                 const WatchOptions& options);

  // With the model as it is. The same for any number of workers.
  WatchedStep look(const Model& model, int64_t step, Workers& workers) const;

 private:
  int64_t tokens_of(const std::string& line, const Vocabulary& vocabulary) const;
  void check(const std::string& line, const Vocabulary& vocabulary, const std::string& where) const;
  void choose_pairs(const CorpusStore& validation);

  std::vector<WatchedSentence> sentences_;
  Vocabulary source_, target_;
  WatchOptions options_;
  // Over which the heads are described.
  std::vector<std::string> sources_, references_;
  std::vector<TagIds> tags_;
};

}  // namespace heed
