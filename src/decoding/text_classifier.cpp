#include "heed/decoding/text_classifier.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/decoding/text_batches.h"
#include "heed/kernels/arithmetic.h"
#include "heed/models/int8_rounding.h"

namespace heed {

namespace {

std::vector<float> softmax_of(std::span<const float> logits) {
  const float largest = *std::ranges::max_element(logits);
  double sum = 0;
  std::vector<double> exponentials;
  for (const float x : logits) sum += exponentials.emplace_back(std::exp(double{x} - largest));
  std::vector<float> probabilities;
  for (const double e : exponentials) probabilities.push_back(static_cast<float>(e / sum));
  return probabilities;
}

std::vector<float> sigmoids_of(std::span<const float> logits) {
  std::vector<float> probabilities;
  for (const float x : logits)
    probabilities.push_back(static_cast<float>(1 / (1 + std::exp(-double{x}))));
  return probabilities;
}

TokenBatch tokens_of(std::span<const ClassifiedText> texts) {
  TokenBatch batch;
  std::vector<int64_t> lengths;
  for (const ClassifiedText& text : texts) {
    batch.ids.insert(batch.ids.end(), text.ids.begin(), text.ids.end());
    lengths.push_back(static_cast<int64_t>(text.ids.size()));
  }
  batch.layout = Ragged(lengths);
  return batch;
}

}  // namespace

int32_t ClassifiedText::likeliest() const {
  return static_cast<int32_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

TextClassifier::TextClassifier(const Classifier& model, WordPieces pieces,
                               const TextClassifierOptions& options)
    : model_(model), pieces_(std::move(pieces)), want_words_(options.want_words) {
  if (options.precision == Precision::int8) round_to_int8(model_);  // what follows the encoder
  encoder_ = model_.encoder().prepare(options.precision);
}

void TextClassifier::classify_batch(std::span<ClassifiedText> texts) const {
  const TokenBatch batch = tokens_of(texts);
  Tape tape({.record = false, .arenas = arenas_.get()});
  const Tensor logits = model_.logits_of(encoder_->encode(tape, batch), batch.layout).value();
  const bool several = model_.config().several_labels;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::span<const float> row = logits.row<float>(static_cast<int64_t>(i));
    for (const float x : row)
      require(std::isfinite(x), "classify: what the model makes of a text are not numbers");
    ClassifiedText& text = texts[i];
    text.probabilities = several ? sigmoids_of(row) : softmax_of(row);
    if (!several) text.labels = {text.likeliest()};
    for (size_t label = 0; several && label < row.size(); ++label)
      if (row[label] >= 0) text.labels.push_back(static_cast<int32_t>(label));
    if (want_words_) text.words = words(text, text.likeliest());
  }
}

// The text alone, so that its weights do not depend on others.
std::vector<float> TextClassifier::token_weights(const ClassifiedText& text, int32_t label) const {
  const TokenBatch batch = tokens_of({&text, 1});
  Tape values({.record = false, .arenas = arenas_.get()}), tape({.arenas = arenas_.get()});
  const Tensor embedded = model_.encoder().embedded(values, batch).value();
  const Variable input = tape.watch(embedded);
  const Variable encoded = model_.encoder().encode_embedded(input, batch.layout);
  if (const std::optional<Tensor> weights = model_.pooling_weights(encoded, batch.layout)) {
    const std::span<const float> found = weights->span<float>();
    return {found.begin(), found.end()};
  }
  Tensor one_label = Tensor::zeros({1, model_.config().labels});
  one_label.span<float>()[static_cast<size_t>(label)] = 1;
  tape.backward(model_.logits_of(encoded, batch.layout), one_label);
  const Tensor gradient = input.gradient();
  std::vector<float> weights;
  for (int64_t t = 0; t < batch.layout.tokens(); ++t)
    weights.push_back(
        static_cast<float>(kernels::dot(gradient.row<float>(t), embedded.row<float>(t))));
  return weights;
}

std::vector<WeightedWord> TextClassifier::words(const ClassifiedText& text, int32_t label) const {
  const std::vector<float> weights = token_weights(text, label);
  std::vector<WeightedWord> found;
  for (size_t t = 0; t < text.ids.size(); ++t) {
    const int32_t id = text.ids[t];
    if (pieces_.frames(id)) continue;
    if (pieces_.continues_word(id) && !found.empty()) {
      found.back().word += pieces_.spelling(id);
      found.back().weight += weights[t];
    } else {
      found.push_back({pieces_.piece(id), weights[t]});
    }
  }
  return found;
}

std::vector<ClassifiedText> TextClassifier::classify(std::span<const std::string> texts,
                                                     Workers& workers) const {
  constexpr size_t texts_per_task = 64;
  std::vector<ClassifiedText> results(texts.size());
  const size_t tasks = (texts.size() + texts_per_task - 1) / texts_per_task;
  workers.run(static_cast<int64_t>(tasks), [&](int64_t task, int) {
    const size_t begin = static_cast<size_t>(task) * texts_per_task;
    for (size_t i = begin; i < std::min(begin + texts_per_task, texts.size()); ++i) {
      WordPieces::Cut encoded = pieces_.encode(texts[i], encoder_->max_length());
      results[i].ids = std::move(encoded.ids);
      results[i].cut = encoded.cut;
    }
  });
  std::vector<size_t> lengths;
  for (const ClassifiedText& text : results) lengths.push_back(text.ids.size());
  const auto batches = batches_of_texts(lengths, workers.count());
  workers.run(static_cast<int64_t>(batches.size()), [&](int64_t task, int) {
    const auto [begin, end] = batches[static_cast<size_t>(task)];
    classify_batch(std::span(results).subspan(begin, end - begin));
  });
  return results;
}

}  // namespace heed
