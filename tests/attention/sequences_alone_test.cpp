// A sequence attends to the same bits alone and in a batch, wherever it stands there.
#include <gtest/gtest.h>

#include <algorithm>

#include "attention_checks.h"
#include "every_target.h"
#include "heed/attention/multi_head.h"

namespace heed {
namespace {

using testing::for_every_target;
using testing::random_tensor;

const std::vector<int64_t> lengths = {5, 1, 70, 130, 17, 64, 2};

// A function of sequences, end to end, that gives a row for each of their tokens.
template <class Function>
void expect_sequences_to_stand_alone(int64_t width, Function function) {
  const Ragged layout(lengths);
  const Tensor x = random_tensor({layout.tokens(), width}, 1);
  for_every_target([&] {
    const auto of = [&](const Tensor& tokens, const Ragged& sequences) {
      Tape tape({.record = false});
      return function(tape.constant(tokens), sequences).value().clone();
    };
    const Tensor together = of(x, layout);
    for (int64_t s = 0; s < layout.sequences(); ++s) {
      const int64_t begin = layout.begin(s), end = layout.end(s);
      const Tensor alone = of(x.slice(begin, end).clone(), Ragged({layout.length(s)}));
      EXPECT_TRUE(std::ranges::equal(alone.span<float>(),
                                     std::as_const(together).slice(begin, end).span<float>()))
          << "sequence " << s;
    }
  });
}

TEST(SequencesAlone, Attend) {
  for (const bool causal : {false, true})
    for (const int64_t heads : {1, 3})
      expect_sequences_to_stand_alone(36, [&](const Variable& x, const Ragged& layout) {
        return attend({.queries = x,
                       .keys = x,
                       .values = x,
                       .mask = {.causal = causal},
                       .heads = heads,
                       .query_layout = layout,
                       .key_layout = layout})
            .output;
      });
}

TEST(SequencesAlone, MultiHeadAttention) {
  for (const PositionKind positions :
       {PositionKind::none, PositionKind::rotary, PositionKind::alibi, PositionKind::relative}) {
    Rng rng(3);
    const MultiHeadAttention layer(
        {.width = 320, .heads = 4, .positions = positions, .max_distance = 4}, rng);
    for (const bool causal : {false, true})
      expect_sequences_to_stand_alone(320, [&](const Variable& x, const Ragged& layout) {
        return layer({.queries = x, .query_layout = layout, .mask = {.causal = causal}}).output;
      });
  }
}

}  // namespace
}  // namespace heed
