#include "heed/data/training_batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/workers.h"

namespace heed {

namespace {

enum Purpose : uint64_t { order_of_chunks, steps_of_window, choices_of_entry };

RandomKey key_for(RandomKey key, Purpose purpose, int64_t epoch) {
  return derive_key(derive_key(key, purpose), static_cast<uint64_t>(epoch));
}

void check(const BatchConfig& config, int64_t longest) {
  require(config.shards >= 1, "batches: {} shards but at least 1 was expected", config.shards);
  require(config.tokens >= longest,
          "batches: a step of {} tokens is smaller than a sentence, which may have {}",
          config.tokens, longest);
  require(config.window_bytes >= 1, "batches: windows of {} bytes but at least 1 was expected",
          config.window_bytes);
}

}  // namespace

TrainingBatches::TrainingBatches(const CorpusStore& store,
                                 std::shared_ptr<const ExampleMaker> maker,
                                 const BatchConfig& config)
    : store_(store), maker_(std::move(maker)), config_(config), key_(make_key(config.seed)) {
  check(config, maker_->longest());
  require(store.pairs() > 0, "batches: the corpus is empty");
  windows_ = (store.bytes() + config.window_bytes - 1) / config.window_bytes;
  windows_ = std::min(windows_, store.chunks());
}

TrainingBatches::~TrainingBatches() { discard_prepared(); }

void TrainingBatches::discard_prepared() {
  if (!prepared_.valid()) return;
  stop_ = true;
  prepared_.wait();
  prepared_ = {};
  stop_ = false;
}

// Windows of about the same number of bytes, so that the last is not a small one.
std::vector<std::vector<int64_t>> TrainingBatches::plan_windows(int64_t epoch) const {
  std::vector<int64_t> order(static_cast<size_t>(store_.chunks()));
  std::iota(order.begin(), order.end(), int64_t{0});
  shuffle(order, key_for(key_, order_of_chunks, epoch));
  std::vector<std::vector<int64_t>> windows(static_cast<size_t>(windows_));
  int64_t before = 0;
  for (const int64_t chunk : order) {
    const auto window =
        static_cast<size_t>(static_cast<double>(before) / static_cast<double>(store_.bytes()) *
                            static_cast<double>(windows_));
    windows[std::min(window, windows.size() - 1)].push_back(chunk);
    before += store_.chunk_bytes(chunk);
  }
  // The examples of a window are shuffled anyway, so its chunks can be read in file order.
  for (std::vector<int64_t>& chunks : windows) std::ranges::sort(chunks);
  return windows;
}

std::shared_ptr<const EncodedExamples> TrainingBatches::encode(int64_t epoch,
                                                               const std::vector<int64_t>& chunks,
                                                               int64_t& left_out) const {
  auto examples = std::make_shared<EncodedExamples>();
  const RandomKey epoch_key = key_for(key_, choices_of_entry, epoch);
  for (const int64_t index : chunks) {
    const CorpusChunk chunk = store_.read(index);
    auto number = static_cast<uint64_t>(store_.first_pair(index));
    for (const PairView& entry : chunk.pairs) {
      if (stop_) return examples;
      if (!maker_->add(entry, derive_key(epoch_key, number++), *examples)) ++left_out;
    }
  }
  return examples;
}

TrainingBatches::Window TrainingBatches::prepare(int64_t epoch, int64_t index) {
  Window window{.examples = kept_, .steps = {}, .left_out = kept_left_out_};
  if (!window.examples)
    window.examples = encode(epoch, plan_windows(epoch)[index], window.left_out);
  if (stop_) return window;
  const bool always_the_same = windows_ == 1 && !maker_->varies();
  if (always_the_same) {
    kept_ = window.examples;
    kept_left_out_ = window.left_out;
  }
  const RandomKey key =
      derive_key(key_for(key_, steps_of_window, epoch), static_cast<uint64_t>(index));
  window.steps = make_steps(*window.examples, config_.tokens, config_.group_by_length, key);
  return window;
}

void TrainingBatches::prepare_in_background(CorpusPosition position) {
  prepared_ = starting_threads([&] {
    return std::async(std::launch::async,
                      [this, position] { return prepare(position.epoch, position.window); });
  });
}

CorpusPosition TrainingBatches::window_after(CorpusPosition position) const {
  if (position.window + 1 < windows_) return {position.epoch, position.window + 1, 0};
  return {position.epoch + 1, 0, 0};
}

void TrainingBatches::seek(CorpusPosition position) {
  require(position.epoch >= 0 && position.window >= 0 && position.step >= 0,
          "batches: epoch {}, window {}, step {} is not a position in a corpus", position.epoch,
          position.window, position.step);
  discard_prepared();
  current_.reset();
  position_ = position.window < windows_ ? position : CorpusPosition{position.epoch + 1, 0, 0};
}

void TrainingBatches::enter_window() {
  const CorpusPosition first = {position_.epoch, position_.window, 0};
  if (!prepared_.valid()) prepare_in_background(first);
  current_ = prepared_.get();
  prepare_in_background(window_after(first));
}

// Moves on to the window where the next step is.
void TrainingBatches::settle() {
  if (!current_) enter_window();
  // An entry may be in the first window of one epoch and in the last of the next.
  for (int64_t tried = 0; position_.step >= steps_here(); ++tried) {
    require(tried < 2 * windows_,
            "batches: no pair of the corpus has at most {} tokens on each side", maker_->longest());
    position_ = window_after(position_);
    enter_window();
  }
}

StepBatch TrainingBatches::next() {
  const CorpusPosition before = position_;
  try {
    return take_step();
  } catch (...) {
    seek(before);
    throw;
  }
}

StepBatch TrainingBatches::take_step() {
  if (!current_) settle();
  StepBatch batch;
  batch.shards = make_shards(*current_->examples, current_->steps[position_.step], config_.shards);
  batch.epoch = position_.epoch;
  batch.left_out = position_.step == 0 ? current_->left_out : 0;
  ++position_.step;
  settle();
  batch.after = position_;
  batch.last_of_epoch = position_.epoch > batch.epoch;
  return batch;
}

}  // namespace heed
