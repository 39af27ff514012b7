// Heads that are switched off, in all kinds of models and in whatever they do.
#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "model_kinds.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::values_of;
using namespace heed::testing::model_kinds;

const Batch batch{source, {{5, 6, 0, 7, 0, 1, 2, 3, 0}, Ragged({3, 2, 4})}};

std::vector<double> logits_of(const Model& model) {
  Tape tape({.record = false});
  return values_of(logits(tape, model, batch).value());
}

// What a decoder says of the tokens after `tokens` of each sentence.
std::vector<double> stepped(const Model& model, Precision precision) {
  const std::shared_ptr<const Generator> generator = model.prepare(precision);
  const std::unique_ptr<Decoder> decoder = generator->make_decoder();
  decoder->add(source);
  std::vector<double> all;
  for (const std::vector<int32_t>& tokens : {std::vector<int32_t>(3, start), {5, 7, 1}})
    for (const double logit : values_of(decoder->step(tokens))) all.push_back(logit);
  return all;
}

std::vector<HeadGate> gates_on(const std::vector<HeadName>& heads, double gate) {
  std::vector<HeadGate> gates;
  for (const HeadName& head : heads) gates.push_back({head, gate});
  return gates;
}

TEST(Gates, OfOneChangeNoBit) {
  for_every_kind([](const Model& model, const Kind&) {
    const std::unique_ptr<Model> same = model.with_gates({}),
                                 gated = model.with_gates(
                                     gates_on(all_heads(model.head_counts()), 1.0));
    EXPECT_EQ(logits_of(*same), logits_of(model));
    EXPECT_EQ(logits_of(*gated), logits_of(model));
    for (const Precision precision : {Precision::float32, Precision::int8})
      EXPECT_EQ(stepped(*gated, precision), stepped(model, precision));
  });
}

// The columns of W^O that read a head.
void clear_columns(Tensor& weight, int64_t begin, int64_t end) {
  weight = weight.clone();
  for (int64_t row = 0; row < weight.shape()[0]; ++row)
    for (int64_t column = begin; column < end; ++column) weight.matrix<float>()(row, column) = 0;
}

std::string attention_of(const HeadName& head) {
  return fmt::format("model.{}.layers.{}.{}.out_proj.weight",
                     head.part == AttentionPart::encoder ? "encoder" : "decoder", head.layer - 1,
                     head.part == AttentionPart::cross ? "encoder_attn" : "self_attn");
}

// A head that is off is one that W^O does not read, in training, scoring and translating: to the
// last bit, since a product with 0 adds nothing.
TEST(Gates, OfZeroSwitchOffAHeadOfATransformer) {
  for_every_kind([](const Model& model, const Kind& kind) {
    if (model.head_counts().encoder_layers == 0) return;
    for (const HeadName& head :
         {HeadName{AttentionPart::encoder, 1, 2}, HeadName{AttentionPart::decoder, 2, 4},
          HeadName{AttentionPart::cross, 2, 1}}) {
      SCOPED_TRACE(name_of(head));
      // A decoder may remember by recurrence instead.
      if (head.part == AttentionPart::decoder && model.head_counts().decoder_layers == 0) continue;
      const std::unique_ptr<Model> gated = model.with_gates(gates_on({head}, 0)),
                                   cleared = kind.make();
      cleared->visit_parameters({}, [&](const std::string& name, Tensor& value) {
        if (name == attention_of(head)) clear_columns(value, 4 * (head.head - 1), 4 * head.head);
      });
      EXPECT_EQ(logits_of(*gated), logits_of(*cleared));
      EXPECT_NE(logits_of(*gated), logits_of(model));
      EXPECT_EQ(stepped(*gated, Precision::float32), stepped(*cleared, Precision::float32));
      // Integers round what W^O reads with the range that is left.
      const std::vector<double> integers = stepped(*gated, Precision::int8);
      EXPECT_TRUE(close(integers, stepped(*gated, Precision::float32), 0.3, 0.3));
      EXPECT_NE(integers, stepped(model, Precision::int8));
    }
  });
}

// Without its context, a recurrent network reads zeros.
TEST(Gates, OfZeroSwitchOffTheAttentionOfARecurrentNetwork) {
  for_every_kind([](const Model& model, const Kind& kind) {
    const auto* rnn = dynamic_cast<const Rnn*>(&model);
    if (rnn == nullptr || !kind.attends) return;
    const int64_t hidden = rnn->config().hidden, context = rnn->config().context_width();
    const std::unique_ptr<Model> gated = model.with_gates(gates_on({HeadName()}, 0)),
                                 cleared = kind.make();
    cleared->visit_parameters({}, [&](const std::string& name, Tensor& value) {
      if (name == "decoder.weight_ih_l0") clear_columns(value, 0, context);
      if (name == "readout.weight") clear_columns(value, hidden, hidden + context);
    });
    EXPECT_EQ(logits_of(*gated), logits_of(*cleared));
    EXPECT_NE(logits_of(*gated), logits_of(model));
    EXPECT_EQ(stepped(*gated, Precision::float32), stepped(*cleared, Precision::float32));
    EXPECT_TRUE(
        close(stepped(*gated, Precision::int8), stepped(*gated, Precision::float32), 0.3, 0.3));
    EXPECT_NE(stepped(*gated, Precision::int8), stepped(model, Precision::int8));
  });
}

// A gate between 0 and 1 is one on the head in steps, too.
TEST(Gates, OfAHalfAreTheSameInStepsAndWholeSentences) {
  for_every_kind([](const Model& model, const Kind& kind) {
    if (!kind.attends) return;
    const std::unique_ptr<Model> gated =
        model.with_gates(gates_on(all_heads(model.head_counts()), 0.5));
    const std::vector<double> all = logits_of(*gated), steps = stepped(*gated, Precision::float32);
    for (const int64_t sentence : {0, 1, 2})
      for (const int64_t step : {0, 1}) {
        const auto row = [](const std::vector<double>& rows, int64_t index) {
          return std::vector(rows.begin() + index * vocabulary,
                             rows.begin() + (index + 1) * vocabulary);
        };
        EXPECT_TRUE(close(row(steps, 3 * step + sentence),
                          row(all, batch.target.layout.begin(sentence) + step), 1e-5, 1e-5));
      }
  });
}

TEST(Gates, OfHeadsThatAreNotNamedStay) {
  const auto model = model_of<Transformer>(small_transformer());
  const HeadName one{AttentionPart::cross, 1, 1}, other{AttentionPart::cross, 1, 2};
  const std::unique_ptr<Model> both = model->with_gates(gates_on({one, other}, 0));
  EXPECT_EQ(logits_of(*model->with_gates(gates_on({one}, 0))->with_gates(gates_on({other}, 0))),
            logits_of(*both));
  EXPECT_EQ(logits_of(*both->with_gates(gates_on({one, other}, 1))), logits_of(*model));
}

TEST(Gates, RefuseHeadsThatAreNotThere) {
  const auto model = model_of<Transformer>(small_transformer());
  const auto refusal = [](const Model& of, const HeadName& head) {
    return error_of([&] { of.with_gates(gates_on({head}, 0)); });
  };
  EXPECT_EQ(refusal(*model, {AttentionPart::decoder, 3, 1}),
            "head decoder:3:1: the model has 2 layers of this attention");
  EXPECT_EQ(refusal(*model, {AttentionPart::encoder, 2, 5}),
            "head encoder:2:5: a layer of the model has 4 heads");
  EXPECT_EQ(refusal(*model_of<Rnn>(small_rnn()), {AttentionPart::encoder, 1, 1}),
            "head encoder:1:1: the model has 0 layers of this attention");
}

}  // namespace
}  // namespace heed
