#include "heed/data/training_batches.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/round_up.h"
#include "heed/base/workers.h"

namespace heed {

namespace {

enum Purpose : uint64_t { order_of_chunks, steps_of_window, choices_of_entry, mixed_text };

RandomKey key_for(RandomKey key, Purpose purpose, int64_t epoch) {
  return derive_key(derive_key(key, purpose), static_cast<uint64_t>(epoch));
}

void check(const BatchConfig& config, int64_t longest) {
  require(config.shards >= 1, "batches: {} shards but at least 1 was expected", config.shards);
  require(config.tokens >= longest,
          "batches: a step of {} tokens is smaller than a sentence, which may have {}",
          config.tokens, longest);
  require(config.mixed == nullptr || (config.mixed_share > 0 && config.mixed_share < 1),
          "batches: a share of {} is mixed in, but one between 0 and 1 was expected",
          config.mixed_share);
  require(config.mixed == nullptr || config.mixed->pairs() > 0,
          "batches: the corpus to mix in is empty");
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

std::shared_ptr<const EncodedExamples> TrainingBatches::encode(int64_t epoch, int64_t window,
                                                               int64_t& left_out) const {
  auto examples = std::make_shared<EncodedExamples>();
  const RandomKey epoch_key = key_for(key_, choices_of_entry, epoch);
  const std::vector<std::vector<int64_t>> windows = plan_windows(epoch);
  for (const int64_t index : windows[static_cast<size_t>(window)]) {
    const CorpusChunk chunk = store_.read(index);
    auto number = static_cast<uint64_t>(store_.first_pair(index));
    for (const PairView& entry : chunk.pairs) {
      if (stop_) return examples;
      if (!maker_->add(entry, derive_key(epoch_key, number++), *examples)) ++left_out;
    }
  }
  if (config_.mixed != nullptr) mix_in(epoch, window, *examples, left_out);
  return examples;
}

// Some entries from each of a few chunks: neighbours are often alike, and reading takes time.
void TrainingBatches::mix_in(int64_t epoch, int64_t window, EncodedExamples& examples,
                             int64_t& left_out) const {
  constexpr int64_t most_chunks = 16;
  const CorpusStore& store = *config_.mixed;
  const RandomKey key = derive_key(key_for(key_, mixed_text, epoch), static_cast<uint64_t>(window));
  const double own = static_cast<double>(examples.size());
  int64_t wanted = std::llround(own * config_.mixed_share / (1 - config_.mixed_share));
  const int64_t of_each = divide_up(wanted, std::min(store.chunks(), most_chunks));
  std::vector<int64_t> order(static_cast<size_t>(store.chunks()));
  std::iota(order.begin(), order.end(), int64_t{0});
  shuffle(order, derive_key(key, 0));
  uint64_t number = 0;
  for (size_t turn = 0; wanted > 0; ++turn) {
    const CorpusChunk chunk = store.read(order[turn % order.size()]);
    std::vector<size_t> places(chunk.pairs.size());
    std::iota(places.begin(), places.end(), size_t{0});
    shuffle(places, derive_key(key, 1 + turn));
    places.resize(std::min(places.size(), static_cast<size_t>(std::min(of_each, wanted))));
    for (const size_t place : places) {
      if (stop_) return;
      const RandomKey choices = derive_key(derive_key(key, 0), ++number);
      if (!maker_->add(chunk.pairs[place], choices, examples)) ++left_out;
      --wanted;
    }
  }
}

TrainingBatches::Window TrainingBatches::prepare(int64_t epoch, int64_t index) {
  Window window{.examples = kept_, .steps = {}, .left_out = kept_left_out_};
  if (!window.examples) window.examples = encode(epoch, index, window.left_out);
  if (stop_) return window;
  const bool always_the_same = windows_ == 1 && !maker_->varies() && config_.mixed == nullptr;
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
