// An endless sequence of training steps: a prepared corpus, reshuffled each epoch in bounded
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
#include "heed/data/example_maker.h"

namespace heed {

struct BatchConfig {
  // Most tokens of a step; an example counts by its longer side, including ends of sentences.
  int64_t tokens = 4096;
  int shards = 4;                            // batches that a step is split into
  bool group_by_length = true;               // a step has sentences of about the same length
  int64_t window_bytes = int64_t{64} << 20;  // text that is shuffled in memory
  uint64_t seed = 1;
  // Other text, of which each window gets some, drawn anew each epoch: this share of its examples.
  const CorpusStore* mixed = nullptr;
  double mixed_share = 0;
};

// A position between two steps, where a run can be continued.
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
  // At the first step of a window: the number of its entries that were too long.
  int64_t left_out = 0;
  CorpusPosition after;
};

// Each epoch the chunks of the corpus are put into a random order and dealt to windows that fit
// into memory; the examples of a window are shuffled and cut into steps (see make_steps). A small
// corpus is one window, so it is shuffled as a whole. All of this depends only on the seed and the
// position. The next window is prepared in the background.
class TrainingBatches {
 public:
  // An Error if the settings are impossible. The store must live as long as this.
  TrainingBatches(const CorpusStore& store, std::shared_ptr<const ExampleMaker> maker,
                  const BatchConfig& config);
  ~TrainingBatches();

  // An Error if the corpus has no entry that is short enough. What throws leaves the position as it
  // was.
  StepBatch next();

  CorpusPosition position() const { return position_; }
  // A position after the end of its window or epoch, which may have been larger with other
  // settings, means the start of the next.
  void seek(CorpusPosition position);

 private:
  struct Window {
    std::shared_ptr<const EncodedExamples> examples;
    std::vector<Step> steps;
    int64_t left_out = 0;
  };

  // The chunks of each window of an epoch.
  std::vector<std::vector<int64_t>> plan_windows(int64_t epoch) const;
  Window prepare(int64_t epoch, int64_t index);
  std::shared_ptr<const EncodedExamples> encode(int64_t epoch, int64_t window,
                                                int64_t& left_out) const;
  void mix_in(int64_t epoch, int64_t window, EncodedExamples& examples, int64_t& left_out) const;
  void prepare_in_background(CorpusPosition position);
  void enter_window();
  StepBatch take_step();
  void settle();
  int64_t steps_here() const { return static_cast<int64_t>(current_->steps.size()); }
  void discard_prepared();
  CorpusPosition window_after(CorpusPosition position) const;

  const CorpusStore& store_;
  std::shared_ptr<const ExampleMaker> maker_;
  BatchConfig config_;
  RandomKey key_;
  int64_t windows_ = 1;

  CorpusPosition position_;
  std::optional<Window> current_;  // that of the position
  // The next one, or that of the position if there is no current one.
  std::future<Window> prepared_;
  std::atomic<bool> stop_ = false;

  // If its examples do not vary, the encoding of a corpus that fits into one window is kept. Used
  // by whoever prepares a window, never by two threads at once.
  std::shared_ptr<const EncodedExamples> kept_;
  int64_t kept_left_out_ = 0;
};

}  // namespace heed
