// Sentences that are translated side by side. They join at any step and leave when they are done;
// none leaves a trace in another.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "heed/decoding/sentence_search.h"
#include "heed/models/generator.h"

namespace heed {

// For one thread at a time.
class Session {
 public:
  using Id = int64_t;  // of a sentence

  struct Finished {
    Id id;
    std::vector<Hypothesis> hypotheses;  // the best first; see SearchOptions::n_best
    std::exception_ptr error = nullptr;  // why there are none, if something went wrong
  };

  // The model lives longer.
  Session(const Generator& model, const SentenceBounds& bounds);

  // Joins at the next step. An Error names an option that cannot be.
  Id add(Request request);
  // Leaves before the next step, without a result.
  void cancel(Id id);

  // Encodes those that have joined, and lets every hypothesis grow by one token. What fails for one
  // sentence ends that sentence. What fails for all, such as a lack of memory, is thrown and ends
  // all of them.
  void step();

  // Those that have finished since the last call.
  std::vector<Finished> take_finished();

  bool empty() const { return sentences() == 0; }
  // Sentences and hypotheses of the next step.
  int64_t sentences() const;
  int64_t rows() const;

 private:
  struct Sentence {
    Id id;
    std::unique_ptr<SentenceSearch> search;  // none once it is over
    int64_t rows = 1;                        // that it has in the decoder
  };

  void take_step();
  void select_rows(size_t first_sentence);
  void encode_newcomers();
  void encode(std::span<Sentence> joining);
  std::vector<int32_t> next_tokens() const;
  void finish(Sentence& sentence, std::exception_ptr error = nullptr);

  const Generator& model_;
  SentenceBounds bounds_;
  std::unique_ptr<Decoder> decoder_;  // null before the first step, and after one that failed
  std::vector<Sentence> sentences_, newcomers_;
  std::vector<Finished> finished_;
  Id next_id_ = 0;
};

// The translations of a whole batch, as a session finds them: for each sentence of the source its n
// best, best first. `prefixes` has one for each sentence, or none at all.
std::vector<std::vector<Hypothesis>> search_translations(const Generator& model,
                                                         const TokenBatch& source,
                                                         const SentenceBounds& bounds,
                                                         const SearchOptions& options,
                                                         TargetPrefixes prefixes = {});

}  // namespace heed
