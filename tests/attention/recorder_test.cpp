#include "heed/attention/recorder.h"

#include <gtest/gtest.h>

#include "heed/autograd/arithmetic.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::values_of;

TEST(Recorder, KeepsAttentionsInTheOrderOfThePass) {
  AttentionRecorder recorder;
  RecordedAttention* const first = place_for(&recorder, AttentionPart::encoder, 0);
  for (size_t layer = 0; layer < 100; ++layer) place_for(&recorder, AttentionPart::cross, layer);
  first->weights = Tensor::of({1}, {7});
  ASSERT_EQ(recorder.attentions().size(), 101);
  EXPECT_EQ(values_of(recorder.attentions().front().weights), (std::vector<double>{7}));
  EXPECT_EQ(recorder.attentions().back().part, AttentionPart::cross);
  EXPECT_EQ(recorder.attentions().back().layer, 100);
  EXPECT_EQ(place_for(nullptr, AttentionPart::cross, 0), nullptr);
}

// The gradient arrives where it is kept and where it would go without.
TEST(Recorder, KeepsAGradientOnItsWay) {
  Tape tape;
  const Tensor numbers = Tensor::of({2}, {3, 4});
  const auto kept = std::make_shared<Tensor>();
  const Variable x = keep_gradient(scale(tape.watch(numbers), 2.0), kept);
  EXPECT_EQ(values_of(x.value()), (std::vector<double>{6, 8}));
  tape.backward(scale(x, 5.0), Tensor::of({2}, {1, 10}));
  EXPECT_EQ(values_of(*kept), (std::vector<double>{5, 50}));
  EXPECT_EQ(values_of(tape.gradient_of(numbers)), (std::vector<double>{10, 100}));
}

}  // namespace
}  // namespace heed
