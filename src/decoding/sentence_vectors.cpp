#include "heed/decoding/sentence_vectors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/attention/pooling.h"
#include "heed/base/error.h"
#include "heed/decoding/text_batches.h"

namespace heed {

namespace {

Variable pooled(SentencePooling kind, const Variable& x, const Ragged& layout) {
  switch (kind) {
    case SentencePooling::mean:
      return mean_pooling(x, layout);
    case SentencePooling::max:
      return max_pooling(x, layout);
    case SentencePooling::first:
      return first_pooling(x, layout);
  }
  __builtin_unreachable();
}

void normalise(std::span<float> vector) {
  double squares = 0;
  for (const float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  require(std::isfinite(squares), "embed: what the model makes of a text are not numbers");
  const double length = std::max(std::sqrt(squares), 1e-12);
  for (float& x : vector) x = static_cast<float>(static_cast<double>(x) / length);
}

}  // namespace

SentenceEncoder::SentenceEncoder(const EncodingModel& model, WordPieces pieces,
                                 const SentenceEncoderOptions& options)
    : model_(model.prepare(options.precision)),
      pieces_(std::move(pieces)),
      pooling_(options.pooling) {}

void SentenceEncoder::encode_batch(std::span<SentenceVector> texts) const {
  std::vector<int64_t> lengths;
  TokenBatch batch;
  for (const SentenceVector& text : texts) {
    batch.ids.insert(batch.ids.end(), text.ids.begin(), text.ids.end());
    lengths.push_back(static_cast<int64_t>(text.ids.size()));
  }
  batch.layout = Ragged(lengths);
  Tape tape({.record = false, .arenas = arenas_.get()});
  const Tensor vectors = pooled(pooling_, model_->encode(tape, batch), batch.layout).value();
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::span<const float> row = vectors.row<float>(static_cast<int64_t>(i));
    texts[i].vector.assign(row.begin(), row.end());
    normalise(texts[i].vector);
  }
}

std::vector<SentenceVector> SentenceEncoder::encode(std::span<const std::string> texts,
                                                    Workers& workers) const {
  constexpr size_t texts_per_task = 64;
  std::vector<SentenceVector> results(texts.size());
  const size_t tasks = (texts.size() + texts_per_task - 1) / texts_per_task;
  workers.run(static_cast<int64_t>(tasks), [&](int64_t task, int) {
    const size_t begin = static_cast<size_t>(task) * texts_per_task;
    for (size_t i = begin; i < std::min(begin + texts_per_task, texts.size()); ++i) {
      WordPieces::Cut encoded = pieces_.encode(texts[i], model_->max_length());
      results[i].ids = std::move(encoded.ids);
      results[i].cut = encoded.cut;
    }
  });
  std::vector<size_t> lengths;
  for (const SentenceVector& text : results) lengths.push_back(text.ids.size());
  const auto batches = batches_of_texts(lengths, workers.count());
  workers.run(static_cast<int64_t>(batches.size()), [&](int64_t task, int) {
    const auto [begin, end] = batches[static_cast<size_t>(task)];
    encode_batch(std::span(results).subspan(begin, end - begin));
  });
  return results;
}

}  // namespace heed
