#include "heed/models/transformer_decoder.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

namespace {

void check(const AttentionChoice& choice, const TransformerConfig& config) {
  require(choice.layer >= 0 && choice.layer <= config.decoder_layers,
          "attention of layer {} was asked for, but the decoder has {} layers", choice.layer,
          config.decoder_layers);
  require(choice.head >= 0 && choice.head <= config.heads,
          "attention of head {} was asked for, but a layer has {} heads", choice.head,
          config.heads);
}

// Counted from 0.
size_t chosen_layer(const AttentionChoice& choice, const TransformerConfig& config) {
  return static_cast<size_t>(choice.layer == 0 ? config.decoder_layers : choice.layer) - 1;
}

// The weights of the chosen head or the mean over all, added to rows of zeros.
//   weights (sentences, heads, most hypotheses, most tokens that were read)
//   rows    of the hypotheses of all these sentences
void add_attention(const Tensor& weights, int chosen, const Ragged& grouping,
                   kernels::MatrixView<float> rows) {
  const int64_t heads = weights.shape()[1], most = weights.shape()[2], longest = weights.shape()[3];
  const int64_t first = chosen == 0 ? 0 : chosen - 1, end = chosen == 0 ? heads : chosen;
  for (int64_t s = 0; s < grouping.sequences(); ++s)
    for (int64_t h = first; h < end; ++h)
      for (int64_t i = 0; i < grouping.length(s); ++i) {
        const float* from = weights.data<float>() + ((s * heads + h) * most + i) * longest;
        float* to = rows.row(grouping.begin(s) + i);
        for (int64_t t = 0; t < longest; ++t) to[t] += from[t] / static_cast<float>(end - first);
      }
}

TapeOptions values_only(ArenaPool& arenas) { return {.record = false, .arenas = &arenas}; }

}  // namespace

TransformerDecoder::TransformerDecoder(const TransformerGenerator& generator)
    : generator_(generator),
      model_(generator.model_),
      encoder_tape_(values_only(*generator.arenas_)),
      source_tape_({.record = false}),
      step_tape_(values_only(*generator.arenas_)),
      cache_(model_.decoder_.front().cache_sizes(model_.config().decoder_layers)) {}

void TransformerDecoder::add(const TokenBatch& source, std::optional<AttentionChoice> attention) {
  if (attention) check(*attention, model_.config());
  const int64_t sentences = source.layout.sequences();
  const TokenBatch readable = model_.readable(source);
  encoder_tape_.clear();
  const Variable encoded = model_.encode(encoder_tape_, readable);
  std::vector<KeyValues> memories;
  for (const DecoderLayer& layer : model_.decoder_) {
    const KeyValues memory = layer.project_source(encoded, readable.layout);
    // Memory of its own, which it gives back when the cohort goes.
    memories.push_back({source_tape_.constant(memory.keys.value().clone()),
                        source_tape_.constant(memory.values.value().clone()), memory.layout});
  }
  const int64_t first = hypotheses_.next_sentence();
  choose_outputs(first, sentences);
  hypotheses_.add(sentences);
  cache_.add(sentences);
  cohorts_.push_back({.first_sentence = first,
                      .end_sentence = first + sentences,
                      .source = std::move(memories),
                      .grouping = hypotheses_.grouping(first, first + sentences),
                      .longest_source = source.layout.longest(),
                      .attention = attention});
}

Tensor TransformerDecoder::positions() {
  const int64_t end = cache_.longest();
  const Tensor& at_hand = model_.sinusoids_;
  if (!at_hand.present() || end <= at_hand.shape()[0])
    return model_.position_table(model_.target_positions_, end, Type::float32);
  // Twice as many as are needed now, since a hypothesis asks for one more at each of its steps.
  if (!sinusoids_.present() || sinusoids_.shape()[0] < end)
    sinusoids_ = model_.position_table({}, 2 * end, Type::float32);
  return sinusoids_;
}

Tensor TransformerDecoder::step(std::span<const int32_t> tokens) {
  hypotheses_.check_tokens(tokens, model_.config().target_vocabulary);
  if (tokens.empty()) return Tensor::zeros({0, model_.config().target_vocabulary});
  step_tape_.clear();
  attention_ = {};
  const TokenBatch inputs = {{tokens.begin(), tokens.end()},
                             Ragged(std::vector<int64_t>(tokens.size(), 1))};
  cache_.grow(inputs.layout);
  const FirstPositions first = cache_.first_positions();
  const Tensor table = positions();
  Variable x =
      model_.placed(model_.target_vectors(step_tape_, inputs.ids), inputs.layout, table, first);
  for (size_t i = 0; i < model_.decoder_.size(); ++i) {
    if (i > 0 && model_.adds_positions_at(i))
      x = model_.with_positions(x, inputs.layout, table, first);
    std::vector<Tensor> weights(cohorts_.size());
    x = model_.decoder_[i].step(x, cache_, static_cast<int64_t>(i), sources(i, weights),
                                model_.self_place(recorder_, i));
    keep_attention(weights, i);
  }
  if (model_.decoder_norm_) x = (*model_.decoder_norm_)(x);
  return scores_of(x);
}

void TransformerDecoder::choose_outputs(int64_t first_sentence, int64_t sentences) {
  const auto candidates = std::exchange(next_candidates_, {});
  if (candidates.empty()) return;
  require(static_cast<int64_t>(candidates.size()) == sentences,
          "candidates of {} sentences but {} joined", candidates.size(), sentences);
  for (size_t s = 0; s < candidates.size(); ++s) {
    const std::vector<int32_t>& ids = candidates[s];
    if (ids.empty()) continue;
    const auto count = static_cast<int64_t>(ids.size());
    const PreparedWeight weight(generator_.output_table_, ids, generator_.output_);
    Tensor bias = Tensor::uninitialised({count});
    for (int64_t i = 0; i < count; ++i)
      bias.data<float>()[i] = model_.output_bias_.data<float>()[ids[static_cast<size_t>(i)]];
    outputs_.emplace(first_sentence + static_cast<int64_t>(s), Outputs{weight, bias, count});
  }
}

// Hypotheses of one sentence stand together, and so do those of all sentences without candidates
// in most cases.
Tensor TransformerDecoder::scores_of(const Variable& x) const {
  if (outputs_.empty()) return generator_.output_(x, model_.output_bias_).value();
  const std::vector<int64_t>& sentences = hypotheses_.sentences();
  const auto found = [&](size_t row) { return outputs_.find(sentences[row]); };
  int64_t columns = 0;
  for (size_t row = 0; row < sentences.size(); ++row)
    columns = std::max(columns, found(row) == outputs_.end() ? model_.config().target_vocabulary
                                                             : found(row)->second.count);
  Tensor scores = step_tape_.allocate({x.shape()[0], columns}, Type::float32);
  for (size_t row = 0, end = 0; row < sentences.size(); row = end) {
    while (end < sentences.size() && found(end) == found(row)) ++end;
    const auto first = static_cast<int64_t>(row), last = static_cast<int64_t>(end);
    const kernels::MatrixView<const float> from = x.value().slice(first, last).matrix<float>();
    const bool limited = found(row) != outputs_.end();
    kernels::MatrixView<float> to = scores.slice(first, last).matrix<float>();
    to.columns = limited ? found(row)->second.count : columns;
    const PreparedWeight& weight = limited ? found(row)->second.weight : generator_.output_;
    weight.multiply(from, limited ? found(row)->second.bias : model_.output_bias_,
                    kernels::Activation::identity, to);
  }
  return scores;
}

std::vector<AskedMemory> TransformerDecoder::sources(size_t layer,
                                                     std::vector<Tensor>& weights) const {
  std::vector<AskedMemory> memories;
  for (size_t i = 0; i < cohorts_.size(); ++i) {
    const Cohort& cohort = cohorts_[i];
    const bool looked_at = recorder_ != nullptr || looked_at_in(cohort, layer);
    memories.push_back({cohort.source[layer], cohort.grouping, looked_at ? &weights[i] : nullptr});
  }
  return memories;
}

bool TransformerDecoder::looked_at_in(const Cohort& cohort, size_t layer) const {
  return cohort.attention && chosen_layer(*cohort.attention, model_.config()) == layer;
}

void TransformerDecoder::keep_attention(const std::vector<Tensor>& weights, size_t layer) {
  if (recorder_ != nullptr)
    for (const Tensor& of_cohort : weights)
      place_for(recorder_, AttentionPart::cross, layer)->weights = of_cohort;
  int64_t row = 0;
  for (size_t i = 0; i < cohorts_.size(); ++i) {
    const Cohort& cohort = cohorts_[i];
    const int64_t rows = cohort.grouping.tokens();
    if (looked_at_in(cohort, layer)) {
      if (!attention_.present()) {
        int64_t longest = 0;
        for (const Cohort& other : cohorts_) longest = std::max(longest, other.longest_source);
        attention_ = Tensor::zeros({hypotheses(), longest});
      }
      add_attention(weights[i], cohort.attention->head, cohort.grouping,
                    attention_.slice(row, row + rows).matrix<float>());
    }
    row += rows;
  }
}

void TransformerDecoder::select(std::span<const int64_t> from) {
  hypotheses_.select(from);
  cache_.select(from);
  for (Cohort& cohort : cohorts_)
    cohort.grouping = hypotheses_.grouping(cohort.first_sentence, cohort.end_sentence);
  const std::vector<int64_t>& left = hypotheses_.sentences();
  std::erase_if(outputs_,
                [&](const auto& of) { return !std::ranges::binary_search(left, of.first); });
  std::erase_if(cohorts_, [](const Cohort& cohort) { return cohort.grouping.tokens() == 0; });
}

}  // namespace heed
