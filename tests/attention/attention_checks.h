// Shared by the tests of attention: every kind of score with parameters.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "check_layer.h"
#include "heed/attention/score.h"
#include "heed/tensor/ragged.h"
#include "tensors.h"

namespace heed {

// GoogleTest finds it and shows sizes instead of bytes.
inline void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.text(); }

}  // namespace heed

namespace heed::testing {

inline constexpr std::array all_scores = {ScoreKind::dot,      ScoreKind::scaled_dot,
                                          ScoreKind::bilinear, ScoreKind::additive,
                                          ScoreKind::cosine,   ScoreKind::gaussian};

// A name that GoogleTest accepts.
inline std::string test_name(std::string_view name) {
  std::string result(name);
  std::ranges::replace(result, '-', '_');
  return result;
}

// Random parameters of a score, in the order of its members; none for the scores that learn
// nothing.
inline std::vector<Tensor> score_parameters(ScoreKind kind, int64_t query_width,
                                            int64_t key_width) {
  switch (kind) {
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
    case ScoreKind::cosine:
      return {};
    case ScoreKind::bilinear:
      return {random_tensor({query_width, key_width}, 101)};
    case ScoreKind::additive:
      return {random_tensor({5, query_width}, 102), random_tensor({5, key_width}, 103),
              random_tensor({5}, 104)};
    case ScoreKind::gaussian:
      return {Tensor::full({1}, 1.5)};
  }
  __builtin_unreachable();
}

}  // namespace heed::testing
