// Results of attention and masks for its tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "attention_checks.h"
#include "heed/attention/attend.h"

namespace heed::testing {

// Output, weights and the gradients of queries, keys and values, as plain numbers.
struct Results {
  std::vector<double> output, weights, queries, keys, values;
};

inline Results results_of(const Attention& given, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Tensor& gradient) {
  Tape tape;
  Attention attention = given;
  attention.queries = tape.watch(q);
  attention.keys = tape.watch(k);
  attention.values = tape.watch(v);
  attention.want_weights = true;
  const Attended attended = attend(attention);
  tape.backward(attended.output, gradient);
  return {values_of(attended.output.value()), values_of(attended.weights),
          values_of(tape.gradient_of(q)), values_of(tape.gradient_of(k)),
          values_of(tape.gradient_of(v))};
}

inline void expect_same(const Results& actual, const Results& expected) {
  EXPECT_TRUE(testing::close(actual.output, expected.output, 1e-5, 1e-6)) << "output";
  EXPECT_TRUE(testing::close(actual.weights, expected.weights, 1e-5, 1e-6)) << "weights";
  EXPECT_TRUE(testing::close(actual.queries, expected.queries, 1e-5, 1e-6)) << "queries";
  EXPECT_TRUE(testing::close(actual.keys, expected.keys, 1e-5, 1e-6)) << "keys";
  EXPECT_TRUE(testing::close(actual.values, expected.values, 1e-5, 1e-6)) << "values";
}

inline std::shared_ptr<const BooleanMask> boolean_mask(
    const Shape& shape, const std::function<bool(int64_t)>& allowed) {
  auto mask = std::make_shared<BooleanMask>();
  mask->shape = shape;
  for (int64_t i = 0; i < shape.elements(); ++i) mask->allowed.push_back(allowed(i) ? 1 : 0);
  return mask;
}

}  // namespace heed::testing
