// Attention equals PyTorch's for every score, mask, self or cross attention, and dense or ragged
// batch: output, weights and all gradients. tests/golden/attention.py defines what is expected.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>

#include "every_target.h"
#include "golden.h"
#include "heed/attention/attend.h"

namespace heed {
namespace {

using testing::close_to_golden;

enum class Kind { self, cross };
enum class Batch { dense, ragged };
using Case = std::tuple<ScoreKind, std::string, Kind, Batch>;

std::string name_of(Kind kind) { return kind == Kind::self ? "self" : "cross"; }
std::string name_of(Batch batch) { return batch == Batch::dense ? "dense" : "ragged"; }

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  const auto& [score, mask, kind, batch] = info.param;
  std::string name =
      fmt::format("{}_{}_{}_{}", name_of(score), mask, name_of(kind), name_of(batch));
  std::ranges::replace(name, '-', '_');
  return name;
}

class GoldenAttention : public ::testing::TestWithParam<Case> {
 protected:
  std::string file() const {
    return fmt::format("attention/{}", name_of(std::get<ScoreKind>(GetParam())));
  }
  std::string mask() const { return std::get<std::string>(GetParam()); }
  Kind kind() const { return std::get<Kind>(GetParam()); }
  Batch batch() const { return std::get<Batch>(GetParam()); }

  // Names of what belongs to the kind, to the batch and to the mask.
  std::string of_score(std::string_view parameter) const {
    return fmt::format("{}.score.{}", name_of(kind()), parameter);
  }
  std::string of_batch(std::string_view array) const {
    return fmt::format("{}.{}.{}", name_of(kind()), name_of(batch()), array);
  }
  std::string of_mask(std::string_view array) const {
    return of_batch(fmt::format("{}.{}", mask(), array));
  }

  Variable watched(std::string_view name) { return tape_.watch(golden_.read(name, type_)); }

  Score make_score() {
    switch (std::get<ScoreKind>(GetParam())) {
      case ScoreKind::dot:
        return Dot{};
      case ScoreKind::scaled_dot:
        return ScaledDot{};
      case ScoreKind::bilinear:
        return Bilinear{watched(of_score("weight"))};
      case ScoreKind::additive:
        return Additive{watched(of_score("query.weight")), watched(of_score("key.weight")),
                        watched(of_score("value.weight"))};
      case ScoreKind::cosine:
        return Cosine{};
      case ScoreKind::gaussian:
        return Gaussian{watched(of_score("width"))};
    }
    __builtin_unreachable();
  }

  Mask make_mask() {
    Mask mask;
    const bool combination = this->mask() == "combination";
    mask.causal = combination || this->mask() == "causal";
    if (this->mask() == "window") mask.window = 2;
    if (combination) mask.window = 4;
    if (golden_.contains(of_mask("valid_lengths")))
      mask.valid_lengths = golden_.read_integers(of_mask("valid_lengths"));
    if (const std::string name = of_mask("mask"); golden_.contains(name))
      mask.allowed = std::make_shared<BooleanMask>(
          BooleanMask{golden_.shape(name), golden_.read_booleans(name)});
    if (golden_.contains(of_mask("bias"))) mask.bias = watched(of_mask("bias"));
    return mask;
  }

  Attention make_attention() {
    Attention attention{.score = make_score(), .mask = make_mask(), .want_weights = true};
    if (kind() == Kind::self) {
      attention.queries = attention.keys = attention.values = watched(of_batch("input"));
    } else {
      attention.queries = watched(of_batch("queries"));
      attention.keys = watched(of_batch("keys"));
      attention.values = watched(of_batch("values"));
    }
    if (batch() == Batch::ragged) {
      attention.query_layout = Ragged(golden_.read_integers(of_batch("query_lengths")));
      attention.key_layout = Ragged(golden_.read_integers(of_batch("key_lengths")));
    }
    return attention;
  }

  void expect_golden(std::string_view what, const Tensor& actual) const {
    EXPECT_TRUE(close_to_golden(actual, golden_.read(of_mask(what), Type::float64))) << what;
  }

  void expect_gradient(std::string_view what, const Variable& variable) const {
    if (variable.present()) expect_golden(fmt::format("{}.gradient", what), variable.gradient());
  }

  void expect_score_gradients(const Score& score) const {
    if (const auto* bilinear = std::get_if<Bilinear>(&score))
      expect_gradient("score.weight", bilinear->weight);
    if (const auto* gaussian = std::get_if<Gaussian>(&score))
      expect_gradient("score.width", gaussian->bandwidth);
    if (const auto* additive = std::get_if<Additive>(&score)) {
      expect_gradient("score.query.weight", additive->query_weight);
      expect_gradient("score.key.weight", additive->key_weight);
      expect_gradient("score.value.weight", additive->value_weight);
    }
  }

  void run(Type type) {
    tape_.clear();
    type_ = type;
    const Attention attention = make_attention();
    const Attended attended = attend(attention);
    tape_.backward(attended.output, golden_.read(of_batch("output.gradient"), type));

    expect_golden("output", attended.output.value());
    // Ragged batches keep the axis of their one head.
    Tensor weights = attended.weights;
    if (batch() == Batch::ragged)
      weights = weights.reshape({weights.shape()[0], weights.shape()[2], weights.shape()[3]});
    expect_golden("weights", weights);
    if (kind() == Kind::self) {
      expect_gradient("input", attention.queries);
    } else {
      expect_gradient("queries", attention.queries);
      expect_gradient("keys", attention.keys);
      expect_gradient("values", attention.values);
    }
    expect_gradient("bias", attention.mask.bias);
    expect_score_gradients(attention.score);
  }

  Type type_ = Type::float32;
  Tape tape_;
  TensorFile golden_ = testing::open_golden(file());
};

TEST_P(GoldenAttention, InFloat32) {
  testing::for_every_target([&] { run(Type::float32); });
}
TEST_P(GoldenAttention, InFloat64) { run(Type::float64); }

INSTANTIATE_TEST_SUITE_P(
    All, GoldenAttention,
    ::testing::Combine(
        ::testing::Values(ScoreKind::dot, ScoreKind::scaled_dot, ScoreKind::bilinear,
                          ScoreKind::additive, ScoreKind::cosine, ScoreKind::gaussian),
        ::testing::Values("none", "causal", "valid_lengths", "valid_lengths_per_query", "boolean",
                          "bias", "window", "combination"),
        ::testing::Values(Kind::self, Kind::cross), ::testing::Values(Batch::dense, Batch::ragged)),
    case_name);

}  // namespace
}  // namespace heed
