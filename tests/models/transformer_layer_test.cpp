#include "heed/models/transformer_layer.h"

#include <gtest/gtest.h>

#include "close.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/gradient_check.h"
#include "heed/autograd/layout.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::random_tensor;
using heed::testing::values_of;

LayerConfig small(NormPlacement norm, NormKind kind = NormKind::layer) {
  return {.width = 8, .ffn = 12, .heads = 2, .norm = norm, .norm_kind = kind};
}

template <typename Check>
void for_both_norms(Check check) {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    SCOPED_TRACE(norm == NormPlacement::post ? "norm after" : "norm before");
    check(small(norm));
  }
}

const Ragged targets({3, 2}), sources({4, 1});

TEST(ResidualBlock, NormalisesTheSumOrWhatTheBlockReads) {
  const Tensor x = random_tensor({3, 8}, 1);
  const LayerNorm norm(8);
  const auto block = [](const Variable& v) { return scale(v, 3.0); };
  Tape tape;
  const Variable in = tape.watch(x);
  EXPECT_EQ(values_of(ResidualBlock(small(NormPlacement::post))(in, block).value()),
            values_of(norm(add(in, block(in))).value()));
  EXPECT_EQ(values_of(ResidualBlock(small(NormPlacement::pre))(in, block).value()),
            values_of(add(in, block(norm(in))).value()));
}

TEST(ResidualBlock, NormalisesByTheKindOfItsLayer) {
  const Tensor x = random_tensor({3, 8}, 1);
  const auto block = [](const Variable& v) { return scale(v, 3.0); };
  Tape tape;
  const Variable in = tape.watch(x);
  LayerConfig config = small(NormPlacement::pre, NormKind::rms);
  config.norm_epsilon = 0.25;
  EXPECT_EQ(values_of(ResidualBlock(config)(in, block).value()),
            values_of(add(in, block(RmsNorm(8, 0.25)(in))).value()));
}

TEST(SelfAttentionLayer, WithoutBiasesHasWeightsAlone) {
  LayerConfig config = small(NormPlacement::pre, NormKind::rms);
  config.bias = false;
  Rng rng(1);
  SelfAttentionLayer layer(config, rng);
  for (const Parameter& parameter : parameters_of(layer))
    EXPECT_TRUE(parameter.name.ends_with(".weight")) << parameter.name;
}

TEST(SelfAttentionLayer, StepByStepGivesWhatACausalPassGives) {
  for (const PositionKind positions : {PositionKind::none, PositionKind::rotary})
    for_both_norms([&](LayerConfig config) {
      config.positions = positions;
      config.rotary_base = 100;
      config.kv_heads = 1;
      Rng rng(1);
      const SelfAttentionLayer layer(config, rng);
      // Two sequences, of which one is given in parts of 2 and 3 and the other in 1 and 0.
      const Tensor x = random_tensor({6, 8}, 2);
      Tape tape({.record = false});
      const Tensor at_once =
          layer(tape.constant(x), Ragged({5, 1}), nullptr, {.causal = true}).value();
      KeyValueCache cache(layer.cache_sizes(1), 2);
      cache.grow(Ragged({2, 1}));
      Tensor part = Tensor::uninitialised({3, 8});
      part.slice(0, 2).copy_from(x.slice(0, 2));
      part.slice(2, 3).copy_from(x.slice(5, 6));
      const Tensor first = layer.step(tape.constant(part), cache, 0).value();
      cache.grow(Ragged({3, 0}));
      const Tensor rest = layer.step(tape.constant(x.slice(2, 5)), cache, 0).value();
      const auto expect = [&](const Tensor& found, const Tensor& expected) {
        EXPECT_TRUE(close(values_of(found), values_of(expected), 1e-5, 1e-6));
      };
      expect(first.slice(0, 2), at_once.slice(0, 2));
      expect(first.slice(2, 3), at_once.slice(5, 6));
      expect(rest, at_once.slice(2, 5));
    });
}

TEST(EncoderLayer, SentencesDoNotSeeEachOther) {
  for_both_norms([](const LayerConfig& config) {
    Rng rng(1);
    const EncoderLayer layer(config, rng);
    const Tensor x = random_tensor({5, 8}, 2);
    Tape tape;
    const Tensor together = layer(tape.constant(x), targets).value();
    for (int64_t s = 0; s < 2; ++s)
      EXPECT_TRUE(close(values_of(layer(tape.constant(x.slice(targets.begin(s), targets.end(s))),
                                        Ragged({targets.length(s)}))
                                      .value()),
                        values_of(together.slice(targets.begin(s), targets.end(s))), 1e-5, 1e-6));
  });
}

TEST(DecoderLayer, SeesTheTargetSoFarAndAllOfItsSource) {
  for_both_norms([](const LayerConfig& config) {
    Rng rng(1);
    const DecoderLayer layer(config, rng);
    const Tensor x = random_tensor({5, 8}, 2), encoded = random_tensor({5, 8}, 3);
    const auto outputs = [&](const Tensor& target, const Tensor& source) {
      Tape tape;
      return values_of(layer(tape.constant(target), targets,
                             layer.project_source(tape.constant(source), sources))
                           .value());
    };
    const auto rows_that_differ = [&](const std::vector<double>& a, const std::vector<double>& b) {
      std::vector<size_t> rows;
      for (size_t r = 0; r < 5; ++r)
        if (!std::equal(a.begin() + static_cast<std::ptrdiff_t>(r * 8),
                        a.begin() + static_cast<std::ptrdiff_t>(r * 8 + 8),
                        b.begin() + static_cast<std::ptrdiff_t>(r * 8)))
          rows.push_back(r);
      return rows;
    };
    const auto changed = [](const Tensor& tensor, int64_t row) {
      Tensor copy = tensor.clone();
      copy.slice(row, row + 1).fill(0.5);
      return copy;
    };
    const std::vector<double> before = outputs(x, encoded);
    EXPECT_EQ(rows_that_differ(before, outputs(changed(x, 1), encoded)),
              (std::vector<size_t>{1, 2}));
    EXPECT_EQ(rows_that_differ(before, outputs(changed(x, 3), encoded)),
              (std::vector<size_t>{3, 4}));
    EXPECT_EQ(rows_that_differ(before, outputs(x, changed(encoded, 3))),
              (std::vector<size_t>{0, 1, 2}));
    EXPECT_EQ(rows_that_differ(before, outputs(x, changed(encoded, 4))),
              (std::vector<size_t>{3, 4}));
  });
}

TEST(DecoderLayer, StepByStepGivesWhatAllTokensAtOnceGive) {
  for_both_norms([](const LayerConfig& config) {
    Rng rng(1);
    const DecoderLayer layer(config, rng);
    // Two sentences of three tokens, and a source for each.
    const Tensor x = random_tensor({6, 8}, 2), encoded = random_tensor({5, 8}, 3);
    Tape tape({.record = false});
    const KeyValues source = layer.project_source(tape.constant(encoded), sources);
    const Tensor at_once = layer(tape.constant(x), Ragged({3, 3}), source).value();
    KeyValueCache cache(layer.cache_sizes(1), 2);
    for (int64_t t = 0; t < 3; ++t) {
      Tensor tokens = Tensor::uninitialised({2, 8});
      for (int64_t s = 0; s < 2; ++s)
        tokens.slice(s, s + 1).copy_from(x.slice(3 * s + t, 3 * s + t + 1));
      Tensor weights;
      cache.grow(Ragged({1, 1}));
      const Variable output =
          layer.step(tape.constant(tokens), cache, 0,
                     std::vector<AskedMemory>{{source, Ragged({1, 1}), &weights}});
      for (int64_t s = 0; s < 2; ++s)
        EXPECT_TRUE(close(values_of(output.value().slice(s, s + 1)),
                          values_of(at_once.slice(3 * s + t, 3 * s + t + 1)), 1e-5, 1e-6));
      EXPECT_EQ(weights.shape(), (Shape{2, 2, 1, 4}));
    }
  });
}

TEST(DecoderLayer, GradientsAreThoseOfItsValue) {
  for_both_norms([](const LayerConfig& config) {
    Rng rng(1);
    DecoderLayer layer(config, rng);
    convert_parameters(layer, Type::float64);
    const GradientCheckResult result =
        check_gradients({random_tensor({5, 8}, 2), random_tensor({5, 8}, 3)},
                        [&](Tape&, const std::vector<Variable>& v) {
                          return layer(v[0], targets, layer.project_source(v[1], sources));
                        });
    EXPECT_TRUE(result.passed) << result.complaint;
  });
}

}  // namespace
}  // namespace heed
