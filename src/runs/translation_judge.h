// How well a model translates, as it is during training.
#pragma once

#include <string>
#include <vector>

#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary.h"
#include "heed/models/model.h"
#include "heed/models/trained_lengths.h"
#include "heed/training/validation.h"

namespace heed {

struct JudgeOptions {
  int lines = 1000;  // to translate, from the beginning of the corpus
  int beam = 1;
  int samples = 2;         // to return
  bool tokenised = false;  // BLEU takes the text as it is
  TrainedLengths lengths = {};
  std::vector<std::string> tags = {};  // of the model
};

// Translates the first sentences of a corpus and compares them with their references.
class TranslationJudge {
 public:
  TranslationJudge(const CorpusStore& corpus, Vocabulary source, Vocabulary target,
                   const JudgeOptions& options);

  // The same for any number of threads.
  OutputScores operator()(const Model& model, int threads) const;

 private:
  Vocabulary source_, target_;
  JudgeOptions options_;
  std::vector<std::string> sources_, references_, tags_;
};

}  // namespace heed
