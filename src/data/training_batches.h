// The steps of training, without end: a prepared corpus, shuffled anew each epoch in bounded
// memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "heed/data/batch.h"
#include "heed/data/corpus_store.h"
#include "heed/data/encoded_pairs.h"
#include "heed/data/vocabulary.h"

namespace heed {

struct BatchConfig {
  int64_t tokens =
      4096;  // in a step at most; a pair counts with its longer side, ends of sentences included
  int shards = 4;               // batches that a step is cut into
  int64_t max_length = 256;     // pairs with more tokens than that on a side are left out
  bool group_by_length = true;  // a step has sentences of about the same length
  std::optional<double> source_sampling =
      {};  // alpha of Vocabulary::sample; none: always the same pieces
  std::optional<double> target_sampling = {};
  int64_t window_bytes = int64_t{64} << 20;  // text that is shuffled at once
  uint64_t seed = 1;
};

// A place between two steps, where a run can be taken up again.
struct CorpusPosition {
  int64_t epoch = 0;
  int64_t window = 0;
  int64_t step = 0;

  auto operator<=>(const CorpusPosition&) const = default;
};

struct StepBatch {
  std::vector<Batch> shards;  // some may be empty
  int64_t epoch = 0;
  bool last_of_epoch = false;
  int64_t left_out = 0;  // at the first step of a window: its pairs that were longer than allowed
  CorpusPosition after;
};

// Each epoch the chunks of the corpus are put into a random order and dealt to windows that fit
// into memory; the pairs of a window are shuffled and cut into steps (see make_steps). A small
// corpus is one window, so it is shuffled as a whole. All of this is a function of the seed and the
// position. The next window is prepared in the background while this one is used up.
class TrainingBatches {
 public:
  // An Error if the settings are impossible. The store must live as long as this.
  TrainingBatches(const CorpusStore& store, Vocabulary source, Vocabulary target,
                  const BatchConfig& config);
  ~TrainingBatches();

  // An Error if the corpus has no pair that is short enough.
  StepBatch next();

  CorpusPosition position() const { return position_; }
  // A place behind the end of its window or epoch, which were larger with other settings, is the
  // beginning of the next.
  void seek(CorpusPosition position);

 private:
  struct Window {
    std::shared_ptr<const EncodedPairs> pairs;
    std::vector<Step> steps;
    int64_t left_out = 0;
  };

  // The chunks of each window of an epoch.
  std::vector<std::vector<int64_t>> plan_windows(int64_t epoch) const;
  Window prepare(int64_t epoch, int64_t index);
  std::shared_ptr<const EncodedPairs> encode(int64_t epoch, const std::vector<int64_t>& chunks,
                                             int64_t& left_out) const;
  std::vector<int32_t> encode_side(const Vocabulary& vocabulary, std::string_view text,
                                   const std::optional<double>& alpha, RandomKey key) const;
  void prepare_in_background(CorpusPosition position);
  void enter_window();
  void settle();
  int64_t steps_here() const { return static_cast<int64_t>(current_->steps.size()); }
  void discard_prepared();
  CorpusPosition window_after(CorpusPosition position) const;

  const CorpusStore& store_;
  Vocabulary source_;
  Vocabulary target_;
  BatchConfig config_;
  RandomKey key_;
  int64_t windows_ = 1;

  CorpusPosition position_;
  std::optional<Window> current_;  // that of the position
  std::future<Window>
      prepared_;  // the one after, or that of the position where there is no current one
  std::atomic<bool> stop_ = false;

  // Where a window is the whole corpus and its pieces are always the same, they are kept. Touched
  // by whoever prepares a window, never by two at once.
  std::shared_ptr<const EncodedPairs> kept_;
  int64_t kept_left_out_ = 0;
};

}  // namespace heed
