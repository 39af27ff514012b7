#include "heed/training/memory_plan.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

namespace {

constexpr int64_t sentences = 8, length = 32;
constexpr int64_t smallest_batch = 256;
constexpr int64_t program_itself = int64_t{48}
                                   << 20;  // code, vocabularies, batches that are prepared ahead

TokenBatch made_up_sentences(int64_t vocabulary) {
  std::vector<std::vector<int32_t>> made_up(sentences);
  for (int64_t s = 0; s < sentences; ++s)
    for (int64_t t = 0; t < length; ++t)
      made_up[static_cast<size_t>(s)].push_back(
          static_cast<int32_t>((s * length + t) % vocabulary));
  return join_sentences(made_up);
}

}  // namespace

Batch made_up_batch(int64_t source_vocabulary, int64_t target_vocabulary) {
  return {source_vocabulary > 0 ? made_up_sentences(source_vocabulary) : TokenBatch(),
          made_up_sentences(target_vocabulary)};
}

MemoryPlan plan_memory(PredictingModel& model, const Batch& batch, int shards,
                       const LearnerConfig& config) {
  Tape tape({.training = true});
  // The gradients of the weights have their own memory, which does not grow with the batch.
  int64_t parameters = 0;
  model.visit_parameters({}, [&](const std::string&, Tensor& value) {
    parameters += value.elements();
    tape.collect_gradient(value, Tensor::uninitialised(value.shape()));
  });
  tape.backward(
      model.loss(tape, config.r_drop > 0 ? twice(batch) : batch, {.r_drop = config.r_drop}));
  const int64_t tokens = std::max(batch.source.layout.tokens(), batch.target.layout.tokens());
  const auto used = static_cast<int64_t>(tape.arena().used());
  // A quarter more, because the arena grows in blocks and sentences differ.
  return {.fixed = program_itself +
                   parameters * 4 *
                       (3 + (config.ema > 0 ? 1 : 0) + (config.keep_close > 0 ? 1 : 0) + shards),
          .per_token = used * 5 / (4 * tokens)};
}

int64_t fitting_batch(const MemoryPlan& plan, int64_t bytes, int64_t most) {
  const int64_t tokens = (bytes - plan.fixed) / plan.per_token;
  require(tokens >= smallest_batch,
          "training: {} MB are not enough: this model needs at least {} MB", bytes >> 20,
          ((plan.fixed + smallest_batch * plan.per_token) >> 20) + 1);
  return std::min(tokens, most);
}

}  // namespace heed
