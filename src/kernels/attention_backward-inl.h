// The backward pass of streamed attention: recomputes the scores of each pair of blocks, restores
// the weights from what the forward pass kept of each softmax, and adds to all gradients at once.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_BACKWARD_INL_H_
#undef HEED_KERNELS_ATTENTION_BACKWARD_INL_H_
#else
#define HEED_KERNELS_ATTENTION_BACKWARD_INL_H_
#endif

#include <algorithm>
#include <span>

#include "heed/base/round_up.h"
#include "heed/kernels/attention.h"
#include "heed/kernels/attention_scratch-inl.h"
#include "heed/kernels/attention_stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

// means[i] = Σ_j w_ij dw_ij, which is output(i, :)·output_gradient(i, :).
inline void row_products(int64_t first, int64_t rows, const AttentionScratch& scratch,
                         MatrixView<const float> output, MatrixView<const float> output_gradient) {
  const FloatTag d;
  HWY_ALIGN float partial[kLanes * kLanes];
  HWY_ALIGN float turned[kLanes * kLanes];
  for (int64_t q = 0; q < rows; q += kLanes) {
    for (int64_t r = 0; r < kLanes; ++r) {
      // Lanes without a query repeat the last.
      const int64_t row = first + std::min(q + r, rows - 1);
      const float* x = output.row(row);
      const float* y = output_gradient.row(row);
      Vector even = hn::Zero(d), odd = hn::Zero(d);
      int64_t c = 0;
      for (; c + 2 * kLanes <= output.columns; c += 2 * kLanes) {
        even = hn::MulAdd(hn::LoadU(d, x + c), hn::LoadU(d, y + c), even);
        odd = hn::MulAdd(hn::LoadU(d, x + c + kLanes), hn::LoadU(d, y + c + kLanes), odd);
      }
      hn::Store(hn::Add(even, odd), d, partial + r * kLanes);
      for (; c < output.columns; ++c) partial[r * kLanes] += x[c] * y[c];
    }
    // The sum of each row's lanes is a sum of whole vectors once they are transposed.
    transpose_lanes({partial, kLanes}, kLanes, 1.0f, {turned, kLanes});
    Vector sum = hn::Load(d, turned);
    for (int64_t lane = 1; lane < kLanes; ++lane)
      sum = hn::Add(sum, hn::Load(d, turned + lane * kLanes));
    hn::Store(sum, d, scratch.means + q);
  }
}

// The softmax of a block of queries: the largest scores, and in `norms` what makes weights of
// probabilities relative to them. Where there is no key, as in the lanes that have no query, the
// norm is 0.
inline void open_softmax(int64_t first, int64_t queries, SoftmaxRows<const float> rows,
                         const AttentionScratch& scratch) {
  std::fill_n(scratch.largest, round_up(queries, kLanes), 0.0f);
  std::fill_n(scratch.sums, round_up(queries, kLanes), 0.0f);
  std::copy_n(rows.largest.data() + first, queries, scratch.largest);
  std::copy_n(rows.sums.data() + first, queries, scratch.sums);
  const FloatTag d;
  for (int64_t q = 0; q < queries; q += kLanes) {
    const Vector sum = hn::Load(d, scratch.sums + q);
    const Vector norm = hn::Div(hn::Set(d, 1.0f), sum);
    hn::Store(hn::IfThenZeroElse(hn::Eq(sum, hn::Zero(d)), norm), d, scratch.norms + q);
  }
}

template <ScoreForm kForm>
class Backward {
 public:
  Backward(const AttentionHead<float>& head, MatrixView<const float> output,
           SoftmaxRows<const float> rows, MatrixView<const float> output_gradient,
           const AttentionGradients<float>& gradients)
      : head_(head),
        output_(output),
        rows_(rows),
        output_gradient_(output_gradient),
        gradients_(gradients),
        scratch_(AttentionScratch::of_thread(head)),
        stream_(head, scratch_),
        growth_(static_cast<float>(1.0 / (1.0 - head.dropout))),
        parameter_wanted_(!gradients.vector.empty() || !gradients.scale.empty()),
        scores_wanted_(gradients.queries.present() || gradients.keys.present() ||
                       gradients.bias.present() || !gradients.distance_bias.empty() ||
                       parameter_wanted_) {}

  void run() {
    std::fill_n(scratch_.parameter, round_up(head_.queries.columns, kLanes), 0.0f);
    for (int64_t first = 0; first < head_.queries.rows; first += kQueryBlock) {
      const int64_t queries = std::min(kQueryBlock, head_.queries.rows - first);
      stream_.open_queries(first, queries);
      const Run seen = stream_.seen();
      if (seen.empty()) continue;
      open_gradients(first, queries);
      const OpenGradient query_gradient(gradients_.queries, first, queries, scratch_.query_sums);
      for (int64_t key = seen.begin; key < seen.end; key += kKeyBlock)
        if (stream_.open_keys(key)) add_pair(key, query_gradient.rows());
      query_gradient.close();
    }
    close_parameter();
  }

 private:
  void open_gradients(int64_t first, int64_t queries) {
    open_softmax(first, queries, rows_, scratch_);
    row_products(first, queries, scratch_, output_, output_gradient_);
    query_rows_ = open_rows(head_.queries, first, queries, scratch_.query_rows);
    gradient_rows_ = open_rows(output_gradient_, first, queries, scratch_.gradient_rows);
    transpose({output_gradient_.row(first), output_gradient_.row_stride}, queries,
              output_gradient_.columns, 1.0f, {scratch_.gradient_columns, kQueryBlock},
              scratch_.padding);
  }

  // Adds what one pair of blocks contributes.
  void add_pair(int64_t key, Rows<float> query_gradient) const {
    stream_.score();
    stream_.weigh(scratch_.largest, scratch_.norms);
    if (scores_wanted_) {
      score_gradient_tile(key);
    } else {
      stream_.drop();
    }
    if (gradients_.values.present()) add_value_gradient(key);
    if (gradients_.queries.present()) add_query_gradient(query_gradient);
    if (gradients_.keys.present()) add_key_gradient(key);
    if (parameter_wanted_)
      accumulate_by_query(stream_.sight(), scratch_.score_gradients, stream_.keys(),
                          width_vectors(), stream_.form().parameter(query_rows_),
                          AddRows{scratch_.parameter});
    const Rows<const float> tile = {scratch_.score_gradients, kQueryBlock};
    if (gradients_.bias.present())
      add_bias_gradient(tile, stream_.sight(), stream_.place(), stream_.shift_scratch(),
                        gradients_.bias);
    if (!gradients_.distance_bias.empty())
      add_distance_bias_gradient(tile, stream_.sight(), stream_.place(), head_.distance_origin,
                                 gradients_.distance_bias);
  }

  // The gradients of a tile's scores, from its weights and the gradient of the output. Dropped
  // weights become 0.
  void score_gradient_tile(int64_t key) const {
    const BlockSight& sight = stream_.sight();
    const Rows<const float> values =
        open_rows(head_.values, key, stream_.key_count(), scratch_.value_rows);
    const Rows<float> gradients = {scratch_.score_gradients, kQueryBlock};
    const int64_t width = head_.values.columns;
    if (!stream_.dropout().active()) {
      pair_tile(sight, values, scratch_.gradient_columns, width, Multiply(),
                StoreScoreGradient{gradients, scratch_.scores, scratch_.means});
    } else {
      pair_tile(sight, values, scratch_.gradient_columns, width, Multiply(), Store{gradients});
      for (int64_t v = 0; v < sight.vectors; ++v)
        drop_gradients_column(stream_.column(scratch_.scores, v),
                              stream_.column(scratch_.score_gradients, v), sight.some[v],
                              scratch_.means + v * kLanes, stream_.dropout(),
                              stream_.positions(v, sight.some[v].begin), growth_);
    }
    for (int64_t v = 0; v < sight.vectors; ++v) stream_.clear_unseen(scratch_.score_gradients, v);
  }

  void add_value_gradient(int64_t key) const {
    const OpenGradient gradient(gradients_.values, key, stream_.key_count(), scratch_.value_sums);
    accumulate_by_key(stream_.sight(), scratch_.scores, gradient_rows_,
                      whole_vectors(head_.values.columns), Multiply(),
                      AddScaled{gradient.rows(), growth_});
    gradient.close();
  }

  void add_query_gradient(Rows<float> gradient) const {
    const Form<kForm>& form = stream_.form();
    accumulate_by_query(stream_.sight(), scratch_.score_gradients, stream_.keys(), width_vectors(),
                        form.side(query_rows_), AddScaled{gradient, form.side_factor()});
  }

  void add_key_gradient(int64_t key) const {
    const Form<kForm>& form = stream_.form();
    const OpenGradient gradient(gradients_.keys, key, stream_.key_count(), scratch_.key_sums);
    accumulate_by_key(stream_.sight(), scratch_.score_gradients, query_rows_, width_vectors(),
                      form.side(stream_.keys()), AddScaled{gradient.rows(), form.side_factor()});
    gradient.close();
  }

  // The form's parameter is one number per column, or one for all.
  void close_parameter() const {
    const std::span<const float> sums(scratch_.parameter,
                                      static_cast<size_t>(head_.queries.columns));
    if (kForm == ScoreForm::additive && !gradients_.vector.empty())
      for (size_t h = 0; h < sums.size(); ++h) gradients_.vector[h] += sums[h];
    if (kForm != ScoreForm::additive && !gradients_.scale.empty())
      for (const float sum : sums) gradients_.scale[0] += sum;
  }

  int64_t width_vectors() const { return whole_vectors(head_.queries.columns); }

  const AttentionHead<float>& head_;
  MatrixView<const float> output_;
  SoftmaxRows<const float> rows_;
  MatrixView<const float> output_gradient_;
  const AttentionGradients<float>& gradients_;
  const AttentionScratch& scratch_;
  Stream<kForm> stream_;
  float growth_;  // of the weights that dropout keeps
  bool parameter_wanted_;
  bool scores_wanted_;
  Rows<const float> query_rows_;
  Rows<const float> gradient_rows_;
};

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
