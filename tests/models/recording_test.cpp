#include "heed/models/recording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

#include "error_of.h"
#include "golden_rnns.h"
#include "golden_transformers.h"
#include "heed/models/bert.h"
#include "heed/models/transformer_decoder.h"
#include "model_kinds.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::close_to_golden;
using heed::testing::error_of;
using heed::testing::golden_batch;
using heed::testing::golden_rnns;
using heed::testing::golden_transformers;
using heed::testing::GoldenRnn;
using heed::testing::GoldenTransformer;
using heed::testing::open_golden;
using heed::testing::values_of;
using heed::testing::model_kinds::for_every_kind;
using heed::testing::model_kinds::Kind;
using heed::testing::model_kinds::small_rnn;
using heed::testing::model_kinds::small_transformer;
using heed::testing::model_kinds::start;

constexpr RecordOptions everything{.norms = true, .gradients = true};

// Every golden model, with its file and what the names of its arrays begin with.
void for_golden_models(
    Type type,
    const std::function<void(const Model&, const TensorFile&, const std::string& prefix)>& check) {
  for (const GoldenTransformer& one : golden_transformers()) {
    SCOPED_TRACE(one.name);
    const TensorFile file = one.open();
    check(one.model(file, type), file, "");
  }
  for (const GoldenRnn& one : golden_rnns()) {
    SCOPED_TRACE(one.name);
    const TensorFile file = open_golden("rnn");
    check(one.model(file, type), file, one.name + ".");
  }
}

Recording record_pair(const Model& model, const Batch& batch, int64_t pair,
                      const RecordOptions& options = everything) {
  return record(model, batch.source.sentence(pair), batch.target.sentence(pair), options);
}

std::vector<double> absolute(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

void expect_golden(const RecordedPart& part, const TensorFile& file, const std::string& name) {
  const auto golden = [&](const std::string& array) {
    return file.read(name + array, Type::float64);
  };
  EXPECT_TRUE(close_to_golden(part.weights, golden("weights")));
  EXPECT_TRUE(close_to_golden(part.norms, golden("norms")));
  EXPECT_TRUE(close_to_golden(part.gradients, golden("gradients")));
  const Tensor gates = golden("gates");
  ASSERT_EQ(part.importance.shape(), gates.shape());
  // A gate's gradient is the sum of weights times their gradients, which mostly cancel each other.
  const std::vector<double> weights = values_of(golden("weights")),
                            gradients = values_of(golden("gradients"));
  double terms = 0;
  for (size_t i = 0; i < weights.size(); ++i) terms += std::abs(weights[i] * gradients[i]);
  const double tolerance = testing::golden_tolerance(part.weights.type());
  EXPECT_TRUE(close(absolute(values_of(part.importance)), absolute(values_of(gates)), tolerance,
                    tolerance * terms / static_cast<double>(gates.elements())));
}

TEST(Recording, EveryHeadEqualsPyTorchs) {
  for (const Type type : {Type::float32, Type::float64})
    for_golden_models(type, [](const Model& model, const TensorFile& file, const auto& prefix) {
      const Batch batch = golden_batch(file);
      for (int64_t pair = 0; pair < batch.sentences(); ++pair) {
        const Recording recording = record_pair(model, batch, pair);
        for (const AttentionPart part : all_attention_parts) {
          SCOPED_TRACE(fmt::format("pair {}, {}", pair, name_of(part)));
          EXPECT_EQ(recording.part(part).weights.present(), model.head_counts().layers(part) > 0);
          if (recording.part(part).weights.present())
            expect_golden(recording.part(part), file,
                          fmt::format("{}recorded.{}.{}.", prefix, pair, name_of(part)));
        }
      }
    });
}

double log_probability(const Model& model, const Batch& batch, int64_t pair) {
  const std::vector<double> tokens = record_pair(model, batch, pair, {}).log_probabilities;
  return std::accumulate(tokens.begin(), tokens.end(), 0.0);
}

// Differences over steps of 1e-5 in doubles are off by the third derivative, here up to about 1e3,
// times 1e-10, and by the rounding of the log-probabilities divided by the step, about 1e-10.
TEST(Recording, ImportanceIsTheSlopeOfAGate) {
  for_golden_models(Type::float64, [](const Model& model, const TensorFile& file, const auto&) {
    const Batch batch = golden_batch(file);
    constexpr double step = 1e-5;
    for (int64_t pair = 0; pair < 2; ++pair) {
      const Recording recording = record_pair(model, batch, pair);
      for (const HeadName& head : all_heads(model.head_counts())) {
        const auto with_gate = [&](double gate) {
          return log_probability(*model.with_gates(std::vector{HeadGate{head, gate}}), batch, pair);
        };
        const double slope = (with_gate(1 + step) - with_gate(1 - step)) / (2 * step);
        EXPECT_NEAR(
            recording.part(head.part).importance.matrix<double>()(head.layer - 1, head.head - 1),
            std::abs(slope), 1e-6)
            << name_of(head);
      }
    }
  });
}

// Of a head whose gate is not 1, both follow the gate.
TEST(Recording, NormsAndGradientsFollowTheGate) {
  const GoldenTransformer one = golden_transformers()[2];
  const TensorFile file = one.open();
  const Transformer model = one.model(file, Type::float64);
  const Batch batch = golden_batch(file);
  const HeadName head{AttentionPart::cross, 1, 3};
  const auto gated = [&](double gate) {
    return record_pair(*model.with_gates(std::vector{HeadGate{head, gate}}), batch, 1);
  };
  const auto of_head = [&](const Tensor& array) {
    return values_of(
        array.slice(0, 1).reshape({4, array.shape()[2], array.shape()[3]}).slice(2, 3));
  };
  const RecordedPart whole = gated(1).part(head.part), half = gated(0.5).part(head.part),
                     off = gated(0).part(head.part);
  // The last attention of the model: its weights do not depend on its gate.
  EXPECT_EQ(of_head(half.weights), of_head(whole.weights));
  std::vector<double> halves = of_head(whole.norms);
  for (double& norm : halves) norm /= 2;
  EXPECT_EQ(of_head(half.norms), halves);
  EXPECT_EQ(of_head(off.norms), std::vector<double>(halves.size(), 0.0));
  EXPECT_EQ(of_head(off.gradients), std::vector<double>(halves.size(), 0.0));
  EXPECT_GT(off.importance[2], 0);
  // The gate's gradient is that of the weights along the weights, divided by the gate.
  const std::vector<double> weights = of_head(half.weights), gradients = of_head(half.gradients);
  EXPECT_NEAR(
      half.importance[2],
      2 * std::abs(std::inner_product(weights.begin(), weights.end(), gradients.begin(), 0.0)),
      1e-12);
}

TEST(Recording, GradientsAreThoseOfTheChosenTokens) {
  for_golden_models(Type::float64, [](const Model& model, const TensorFile& file, const auto&) {
    const Batch batch = golden_batch(file);
    const auto chosen = [&](std::vector<int64_t> tokens) {
      return record_pair(model, batch, 0, {.gradients = true, .tokens = std::move(tokens)});
    };
    const Recording all = chosen({}), first = chosen({0}), others = chosen({1, 2, 3});
    for (const AttentionPart part : all_attention_parts) {
      if (!all.part(part).weights.present()) continue;
      std::vector<double> sum = values_of(first.part(part).gradients);
      const std::vector<double> rest = values_of(others.part(part).gradients);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += rest[i];
      EXPECT_TRUE(close(sum, values_of(all.part(part).gradients), 1e-9, 1e-12));
      // What is predicted first knows nothing of the later steps.
      if (part == AttentionPart::encoder) continue;
      const kernels::MatrixView<const double> rows = first.part(part).gradients.matrix<double>();
      for (int64_t row = 0; row < rows.rows; ++row)
        for (int64_t key = 0; row % 4 > 0 && key < rows.columns; ++key)
          EXPECT_EQ(rows(row, key), 0);
    }
  });
}

std::vector<double> row_of(const Tensor& weights, int64_t layer, int64_t head, int64_t query) {
  const Shape& shape = weights.shape();
  return values_of(weights.reshape({shape[0] * shape[1] * shape[2], shape[3]})
                       .slice((layer * shape[1] + head) * shape[2] + query,
                              (layer * shape[1] + head) * shape[2] + query + 1));
}

const std::vector<int32_t> source_ids = {2, 9, 9, 1, 0}, target_ids = {4, 11, 7, 2, 7, 0};

// One step, with what each attention gave to its keys.
std::deque<RecordedAttention> step(TransformerDecoder& decoder, int32_t token) {
  AttentionRecorder recorder;
  decoder.record_steps(&recorder);
  decoder.step(std::vector<int32_t>{token});
  return recorder.attentions();
}

// A step's own attention adds its scores up in another order than that of the whole sentence does,
// and so do the layers above it, which read the result: differences of some roundings.
TEST(Recording, WeightsAreThoseOfTheTransformerDecodersSteps) {
  for_every_kind([](const Model& model, const Kind&) {
    const auto* transformer = dynamic_cast<const Transformer*>(&model);
    if (transformer == nullptr) return;
    const Recording recording = record(model, source_ids, target_ids);
    const TransformerGenerator generator(*transformer, Precision::float32);
    TransformerDecoder decoder(generator);
    decoder.add({source_ids, Ragged({5})}, std::nullopt);
    for (size_t t = 0; t < target_ids.size(); ++t) {
      const std::deque<RecordedAttention> met = step(decoder, t == 0 ? start : target_ids[t - 1]);
      const HeadCounts counts = model.head_counts();
      ASSERT_EQ(static_cast<int64_t>(met.size()), counts.decoder_layers + counts.cross_layers);
      for (const RecordedAttention& attention : met)
        for (int64_t head = 0; head < 4; ++head) {
          std::vector<double> used = row_of(attention.weights, 0, head, 0);
          const Tensor& recorded = recording.part(attention.part).weights;
          used.resize(static_cast<size_t>(recorded.shape()[3]));  // with keys still to come
          EXPECT_TRUE(close(row_of(recorded, attention.layer - 1, head, static_cast<int64_t>(t)),
                            used, 2e-6, 1e-7));
        }
    }
  });
}

TEST(Recording, WeightsAreThoseOfEveryDecodersAttention) {
  for_every_kind([](const Model& model, const Kind& kind) {
    if (!kind.attends) return;
    const Recording recording = record(model, source_ids, target_ids);
    const std::shared_ptr<const Generator> generator = model.prepare(Precision::float32);
    const bool exact = dynamic_cast<const Rnn*>(&model) != nullptr;
    for (const HeadName& name : all_heads(model.head_counts())) {
      if (name.part != AttentionPart::cross) continue;
      const std::unique_ptr<Decoder> decoder = generator->make_decoder();
      decoder->add({source_ids, Ragged({5})},
                   AttentionChoice{static_cast<int>(name.layer), static_cast<int>(name.head)});
      for (size_t t = 0; t < target_ids.size(); ++t) {
        decoder->step(std::vector<int32_t>{t == 0 ? start : target_ids[t - 1]});
        const std::vector<double> recorded =
            row_of(recording.part(name.part).weights, name.layer - 1, name.head - 1,
                   static_cast<int64_t>(t));
        const std::vector<double> used = values_of(decoder->attention());
        // Training and decoding take the same step of a recurrent network.
        EXPECT_TRUE(close(recorded, used, exact ? 0 : 2e-6, exact ? 0 : 1e-7));
      }
    }
  });
}

TEST(Recording, LookingChangesNothing) {
  for_every_kind([](const Model& model, const Kind&) {
    const Batch batch{{source_ids, Ragged({5})}, {target_ids, Ragged({6})}};
    Tape tape({.record = false});
    AttentionRecorder recorder;
    EXPECT_EQ(values_of(model.recorded_features(tape, batch, &recorder).value()),
              values_of(model.features(tape, batch).value()));
  });
}

TEST(Recording, SaysWhatWasReadAndPredicted) {
  TransformerConfig config = small_transformer();
  config.source_end = false;
  const auto model = heed::testing::model_kinds::model_of<Transformer>(config);
  const Recording recording = record(*model, source_ids, target_ids);
  EXPECT_EQ(recording.source, (std::vector<int32_t>{2, 9, 9, 1}));
  EXPECT_EQ(recording.target, target_ids);
  EXPECT_EQ(recording.read, (std::vector<int32_t>{start, 4, 11, 7, 2, 7}));
  EXPECT_EQ(recording.part(AttentionPart::encoder).weights.shape(), (Shape{2, 4, 4, 4}));
  EXPECT_EQ(recording.part(AttentionPart::decoder).weights.shape(), (Shape{2, 4, 6, 6}));
  EXPECT_EQ(recording.part(AttentionPart::cross).weights.shape(), (Shape{2, 4, 6, 4}));
  EXPECT_FALSE(recording.part(AttentionPart::cross).norms.present());
  EXPECT_FALSE(recording.part(AttentionPart::cross).gradients.present());

  Tape tape({.record = false});
  const Batch batch{{source_ids, Ragged({5})}, {target_ids, Ragged({6})}};
  EXPECT_NEAR(
      std::accumulate(recording.log_probabilities.begin(), recording.log_probabilities.end(), 0.0),
      -model->loss(tape, batch).value()[0], 1e-4);
}

// A source of which the encoder reads nothing.
TEST(Recording, NothingToAttendTo) {
  TransformerConfig config = small_transformer();
  config.source_end = false;
  const auto model = heed::testing::model_kinds::model_of<Transformer>(config);
  const Recording recording = record(*model, std::vector<int32_t>{0}, target_ids, everything);
  EXPECT_EQ(recording.part(AttentionPart::encoder).weights.shape(), (Shape{2, 4, 0, 0}));
  EXPECT_EQ(recording.part(AttentionPart::cross).gradients.shape(), (Shape{2, 4, 6, 0}));
  EXPECT_EQ(values_of(recording.part(AttentionPart::cross).importance), std::vector<double>(8));
  EXPECT_GT(recording.part(AttentionPart::decoder).importance[0], 0);
}

TEST(Recording, RefusesWhatIsNotThere) {
  const auto model = heed::testing::model_kinds::model_of<Rnn>(small_rnn());
  EXPECT_EQ(error_of([&] { record(*model, {}, target_ids); }),
            "record: a source of 0 tokens and a target of 6, but each has at least its end");
  EXPECT_EQ(error_of([&] { record(*model, source_ids, target_ids, {.tokens = {6}}); }),
            "record: target token 6 was chosen, but there are 6");
  TransformerConfig config = small_transformer();
  config.positions = PositionKind::learned;
  const auto short_model = heed::testing::model_kinds::model_of<Transformer>(config);
  EXPECT_EQ(error_of([&] { record(*short_model, std::vector<int32_t>(9), target_ids); }),
            "record: a sentence of 9 tokens, but the model reads at most 8");
}

TEST(Recording, OfALanguageModelNeedsNoSource) {
  const auto model = heed::testing::model_kinds::model_of<LanguageModel>(
      heed::testing::model_kinds::small_language_model());
  const Recording recording = record(*model, {}, std::vector<int32_t>{4, 5, 0}, everything);
  EXPECT_TRUE(recording.source.empty());
  EXPECT_EQ(recording.read, (std::vector<int32_t>{start, 4, 5}));
  EXPECT_EQ(recording.part(AttentionPart::decoder).weights.shape(), (Shape{2, 4, 3, 3}));
  EXPECT_FALSE(recording.part(AttentionPart::cross).weights.present());
  EXPECT_FALSE(recording.part(AttentionPart::encoder).weights.present());
}

TEST(Recording, OfAnEncoderAlone) {
  Rng rng(1);
  const Bert model(
      {.vocabulary = 11, .layers = 2, .width = 8, .ffn = 12, .heads = 4, .context_length = 6}, rng);
  const std::vector<int32_t> text = {2, 7, 9, 3};
  const Recording recording = record(model, {text}, true);
  EXPECT_EQ(recording.source, text);
  EXPECT_TRUE(recording.ends);
  EXPECT_FALSE(record(model, {text, false}).ends);
  EXPECT_TRUE(recording.target.empty());
  EXPECT_TRUE(recording.log_probabilities.empty());
  const RecordedPart& part = recording.part(AttentionPart::encoder);
  EXPECT_EQ(part.norms.shape(), (Shape{2, 4, 4, 4}));
  EXPECT_FALSE(part.importance.present());
  EXPECT_FALSE(record(model, {text}).part(AttentionPart::encoder).norms.present());
  // Every head's weights are those that the pass itself reports.
  Tape tape({.record = false});
  AttentionRecorder recorder;
  model.encode(tape, {text, Ragged({4})}, &recorder);
  for (const HeadName& head : all_heads(model.head_counts())) {
    const Tensor& layer = recorder.attentions()[static_cast<size_t>(head.layer - 1)].weights;
    const std::vector<double> all = values_of(layer);
    const auto begin = all.begin() + 16 * (head.head - 1);
    EXPECT_EQ(values_of(part.weights_of(head)), std::vector<double>(begin, begin + 16));
  }
  EXPECT_EQ(error_of([&] { record(model, {{}}); }),
            "record: a text of no tokens, but at least one was expected");
  EXPECT_EQ(error_of([&] { record(model, {std::vector<int32_t>(7)}); }),
            "record: a sentence of 7 tokens, but the model reads at most 6");
}

}  // namespace
}  // namespace heed
