// What attention refuses, and with which errors.
#include <gtest/gtest.h>

#include <limits>

#include "attend_results.h"
#include "error_of.h"

namespace heed {
namespace {

using testing::boolean_mask;
using testing::error_of;
using testing::random_tensor;

class AttendRefuses : public ::testing::Test {
 protected:
  Variable array(std::initializer_list<int64_t> sizes, Type type = Type::float32) {
    return tape_.watch(Tensor::zeros(Shape(sizes), type));
  }
  static std::string refusal(const Attention& attention) {
    return error_of([&] { attend(attention); });
  }

  Tape tape_;
};

TEST_F(AttendRefuses, MissingArrays) {
  const Variable x = array({3, 4});
  EXPECT_EQ(refusal({.keys = x, .values = x}), "attend: the queries are missing");
  EXPECT_EQ(refusal({.queries = x, .values = x}), "attend: the keys are missing");
  EXPECT_EQ(refusal({.queries = x, .keys = x}), "attend: the values are missing");
}

TEST_F(AttendRefuses, ShapesThatDoNotFit) {
  EXPECT_EQ(refusal({.queries = array({4}), .keys = array({4}), .values = array({4})}),
            "attend: the queries have shape (4) but 2 to 4 axes were expected");
  EXPECT_EQ(
      refusal({.queries = array({3, 4}), .keys = array({1, 3, 4}), .values = array({1, 3, 4})}),
      "attend: queries (3, 4), keys (1, 3, 4) and values (1, 3, 4) do not have the same leading "
      "sizes");
  EXPECT_EQ(
      refusal({.queries = array({2, 3, 4}), .keys = array({3, 3, 4}), .values = array({3, 3, 4})}),
      "attend: queries (2, 3, 4), keys (3, 3, 4) and values (3, 3, 4) do not have the same leading "
      "sizes");
  EXPECT_EQ(refusal({.queries = array({3, 4}), .keys = array({5, 4}), .values = array({6, 4})}),
            "attend: keys (5, 4) and values (6, 4) do not pair up");
  EXPECT_EQ(refusal({.queries = array({1, 2, 3, 4}),
                     .keys = array({1, 2, 3, 4}),
                     .values = array({1, 1, 3, 4})}),
            "attend: keys (1, 2, 3, 4) and values (1, 1, 3, 4) do not pair up");
  EXPECT_EQ(refusal({.queries = array({3, 4}), .keys = array({5, 3}), .values = array({5, 4})}),
            "attend: the scaled-dot score has query width 4 but key width 3");
  EXPECT_EQ(refusal({.queries = array({3, 0}), .keys = array({5, 0}), .values = array({5, 4})}),
            "attend: the queries have shape (3, 0), which has no width");
  EXPECT_EQ(refusal({.queries = array({3, 4}), .keys = array({5, 4}), .values = array({5, 0})}),
            "attend: the values have shape (5, 0), which has no width");
}

TEST_F(AttendRefuses, HeadsThatDoNotFit) {
  const Variable q = array({3, 4}), k = array({5, 4});
  EXPECT_EQ(refusal({.queries = q, .keys = k, .values = k, .heads = 3}),
            "attend: 3 heads do not divide the width 4 of the queries");
  EXPECT_EQ(refusal({.queries = q, .keys = k, .values = k, .heads = 0}),
            "attend: 0 heads do not divide the width 4 of the queries");
  EXPECT_EQ(refusal({.queries = q, .keys = k, .values = k, .heads = 2, .kv_heads = 4}),
            "attend: 4 KV heads do not divide 2 query heads");
  EXPECT_EQ(refusal({.queries = q, .keys = k, .values = k, .heads = 2, .kv_heads = -1}),
            "attend: -1 heads do not divide the width 4 of the keys");
  const Variable apart = array({1, 2, 3, 4});
  EXPECT_EQ(refusal({.queries = apart, .keys = apart, .values = apart, .heads = 4}),
            "attend: 4 heads were asked for but the queries have shape (1, 2, 3, 4)");
  EXPECT_EQ(refusal({.queries = array({1, 3, 2, 4}), .keys = apart, .values = apart}),
            "attend: 2 KV heads do not divide 3 query heads");
}

TEST_F(AttendRefuses, TypesThatDiffer) {
  const Variable x = array({3, 4}), exact = array({3, 4}, Type::float64);
  EXPECT_EQ(refusal({.queries = x, .keys = exact, .values = x}),
            "attend: the keys have type float64 but the queries float32");
  EXPECT_EQ(refusal({.queries = x, .keys = x, .values = exact}),
            "attend: the values have type float64 but the queries float32");
  EXPECT_EQ(
      refusal(
          {.queries = x, .keys = x, .values = x, .mask = {.bias = array({3, 3}, Type::float64)}}),
      "attend: the biases have type float64 but the queries float32");
  EXPECT_EQ(refusal({.queries = x,
                     .keys = x,
                     .values = x,
                     .mask = {.distance_bias = {array({1, 3}, Type::float64), 1}}}),
            "attend: the distance biases have type float64 but the queries float32");
}

TEST_F(AttendRefuses, LayoutsThatDoNotFit) {
  const Variable x = array({3, 4});
  EXPECT_EQ(refusal({.queries = x, .keys = x, .values = x, .query_layout = Ragged({3})}),
            "attend: only one of the query and key layouts is given");
  EXPECT_EQ(
      refusal({.queries = x,
               .keys = x,
               .values = x,
               .query_layout = Ragged({2}),
               .key_layout = Ragged({3})}),
      "attend: the queries have shape (3, 4) but (2, width) was expected for the ragged batch");
  EXPECT_EQ(refusal({.queries = x,
                     .keys = x,
                     .values = x,
                     .query_layout = Ragged({3}),
                     .key_layout = Ragged({2, 2})}),
            "attend: the keys have shape (3, 4) but (4, width) was expected for the ragged batch");
  const Variable rank_3 = array({1, 3, 4});
  EXPECT_EQ(
      refusal({.queries = rank_3,
               .keys = rank_3,
               .values = rank_3,
               .query_layout = Ragged({3}),
               .key_layout = Ragged({3})}),
      "attend: the queries have shape (1, 3, 4) but (3, width) was expected for the ragged batch");
  EXPECT_EQ(refusal({.queries = x,
                     .keys = x,
                     .values = x,
                     .query_layout = Ragged({3}),
                     .key_layout = Ragged({1, 2})}),
            "attend: 1 sequences of queries but 2 of keys");
}

TEST_F(AttendRefuses, MasksThatDoNotFit) {
  const Variable x = array({2, 3, 4});
  EXPECT_EQ(refusal({.queries = x, .keys = x, .values = x, .mask = {.valid_lengths = {3, 4}}}),
            "attend: valid length 4 of sequence 1 is not between 0 and its 3 keys");
  EXPECT_EQ(refusal({.queries = x, .keys = x, .values = x, .mask = {.bias = array({3, 3, 3})}}),
            "attend: the bias has shape (3, 3, 3) but (3, 3) with leading sizes of (2, 1) or 1 was "
            "expected");
}

TEST_F(AttendRefuses, DropoutThatIsNoRate) {
  const Variable x = array({3, 4});
  for (const double rate : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(refusal({.queries = x, .keys = x, .values = x, .dropout = rate})
                    .starts_with("attend: a dropout rate of"))
        << rate;
}

}  // namespace
}  // namespace heed
