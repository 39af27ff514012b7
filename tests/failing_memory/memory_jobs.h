// Every job that is tried under failing memory.
#pragma once

#include <string>
#include <vector>

#include "corpus_jobs.h"
#include "model_jobs.h"
#include "training_jobs.h"

namespace heed::testing {

struct NamedJob {
  std::string name;
  MemoryJob (*make)();
};

inline void PrintTo(const NamedJob& job, std::ostream* out) { *out << job.name; }

inline const std::vector<NamedJob>& memory_jobs() {
  static const std::vector<NamedJob> jobs = {
      {"ReadingText", reading_text},
      {"ReadingTsv", reading_tsv},
      {"ReadingJsonl", reading_jsonl},
      {"ReadingTmx", reading_tmx},
      {"ReadingPo", reading_po},
      {"ReadingMo", reading_mo},
      {"ReadingGzip", reading_gzip},
      {"ReadingZstd", reading_zstd},
      {"ReadingUtf16", reading_utf16},
      {"PreparingACorpus", preparing_a_corpus},
      {"LearningUnigrams", learning_unigrams},
      {"LearningBpe", learning_bpe},
      {"LearningCharacters", learning_characters},
      {"LearningWords", learning_words},
      {"Encoding", encoding},
      {"LoadingAVocabulary", loading_a_vocabulary},
      {"LoadingFloat32", loading_float32},
      {"LoadingInt8", loading_int8},
      {"LoadingARecurrentModel", loading_a_recurrent_model},
      {"LoadingCTranslate2", loading_ctranslate2},
      {"StoringFloat32", storing_float32},
      {"StoringInt8", storing_int8},
      {"TranslatingWithABeam", translating_with_a_beam},
      {"TranslatingWithAlignment", translating_with_alignment},
      {"TranslatingBySampling", translating_by_sampling},
      {"TranslatingWithInt8", translating_with_int8},
      {"TranslatingWithTwoModels", translating_with_two_models},
      {"TranslatingOnTwoThreads", translating_on_two_threads},
      {"LoadingAndTranslatingOnThreeThreads", loading_and_translating_on_three_threads},
      {"Scoring", scoring},
      {"LearningAStepOnOneThread", learning_a_step_on_one_thread},
      {"LearningAStepOnTwoThreads", learning_a_step_on_two_threads},
      {"MakingBatches", making_batches},
      {"Training", training},
      {"EvaluatingBleu", evaluating_bleu},
      {"EvaluatingChrf", evaluating_chrf},
      {"EvaluatingChrfWithWords", evaluating_chrf_with_words},
      {"EvaluatingTer", evaluating_ter},
      {"EvaluatingAccuracy", evaluating_accuracy},
  };
  return jobs;
}

}  // namespace heed::testing
