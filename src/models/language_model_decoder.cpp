#include "heed/models/language_model_decoder.h"

#include "heed/base/error.h"

namespace heed {

LanguageModelDecoder::LanguageModelDecoder(const LanguageModelGenerator& generator)
    : generator_(generator),
      model_(generator.model_),
      tape_({.record = false, .arenas = generator.arenas_.get()}),
      cache_(model_.layers_.front().cache_sizes(model_.config().layers)) {}

Variable LanguageModelDecoder::read(const TokenBatch& tokens) {
  tape_.clear();
  cache_.grow(tokens.layout);
  Variable x = model_.embed(tape_, tokens, cache_.first_positions());
  for (size_t i = 0; i < model_.layers_.size(); ++i)
    x = model_.layers_[i].step(x, cache_, static_cast<int64_t>(i),
                               place_for(recorder_, AttentionPart::decoder, i));
  return x;
}

void LanguageModelDecoder::add(const TokenBatch& source, std::optional<AttentionChoice>) {
  const int64_t longest = source.layout.longest(), context = model_.max_length();
  require(longest < context, "decode: a text that begins with {} tokens, but the context has {}",
          longest, context);
  check_tokens(source.ids, model_.config().vocabulary);
  // Those that are here already have nothing new to read.
  std::vector<int64_t> lengths(static_cast<size_t>(hypotheses()), 0);
  for (int64_t s = 0; s < source.layout.sequences(); ++s)
    lengths.push_back(source.layout.length(s));
  hypotheses_.add(source.layout.sequences());
  cache_.add(source.layout.sequences());
  if (!source.ids.empty()) read({source.ids, Ragged(lengths)});
}

Tensor LanguageModelDecoder::step(std::span<const int32_t> tokens) {
  const int64_t vocabulary = model_.config().vocabulary;
  hypotheses_.check_tokens(tokens, vocabulary);
  if (tokens.empty()) return Tensor::zeros({0, vocabulary});
  const Variable x =
      read({{tokens.begin(), tokens.end()}, Ragged(std::vector<int64_t>(tokens.size(), 1))});
  return generator_.output_(model_.normalised(x), {}).value();
}

void LanguageModelDecoder::select(std::span<const int64_t> from) {
  hypotheses_.select(from);
  cache_.select(from);
}

}  // namespace heed
