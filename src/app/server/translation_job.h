// The texts of a request through one model, or through two one after the other.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "heed/attention/head_name.h"
#include "heed/decoding/translator.h"
#include "heed/markup/document.h"
#include "heed/server/model_set.h"

namespace heed {

struct SentenceResult {
  std::string source;      // what was translated
  std::string pivot = {};  // what it was in the third language, if there was one
  TextLinks pivot_links = {};
  std::vector<Translation> best = {};  // by the last model
};

struct TranslatedText {
  std::string text;
  std::vector<std::string> alternatives;   // which differ from it and from each other
  std::vector<SentenceResult> sentences;   // as they were translated first
  std::vector<ReportedSentence> reported;  // whose placeholders did not come through
};

struct JobResult {
  std::vector<TranslatedText> texts;
  std::exception_ptr error = nullptr;
};

struct TranslationJob {
  std::vector<std::string> texts;
  ModelPath path = {};  // none: the texts stay as they are; see set_path
  DocumentOptions document = {};
  SearchOptions search = {};
  std::string prefix = {};             // what the translation of each sentence begins with
  std::string tag = {};                // for the last model; if empty, its usual one
  bool wants_links = false;            // also where the document needs none
  std::vector<HeadName> without = {};  // of the last model
  std::stop_token stop = {};
  Deadline deadline = {};
  // Called with each sentence, in order, as soon as it and those before it are done.
  std::function<void(size_t text, const SentenceResult& sentence)> seen = {};

  // With it, the search that is usual for its last model.
  void set_path(ModelPath wanted) {
    path = std::move(wanted);
    if (!path.empty()) search = path.back()->usual_search();
  }
};

// `done` is called once, from any thread, or before this returns. Neither of the functions throws.
void start_job(TranslationJob job, std::function<void(JobResult)> done);

// From a source to a target through what is between them.
TextLinks composed(const TextLinks& first, const TextLinks& second);

}  // namespace heed
