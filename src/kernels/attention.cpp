// Streamed attention: blocks of queries iterate over the blocks of keys that they see. Each pair of
// blocks passes the stages score (attention_scores), shift and narrow (attention_shift,
// attention_sight), softmax (attention_softmax) and accumulate (attention_tile). A tile of scores
// lies keys by queries, so that every product reads its operands as they are stored: only queries
// and output gradients are transposed, once per block.
#include "heed/kernels/attention.h"

#include "heed/kernels/reference/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include <hwy/highway.h>

#include "heed/kernels/attention_backward-inl.h"
#include "heed/kernels/attention_forward-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

void forward_of(const AttentionHead<float>& head, MatrixView<float> output, SoftmaxRows<float> rows,
                MatrixView<float> weights) {
  switch (head.form) {
    case ScoreForm::dot:
      return Forward<ScoreForm::dot>(head, output, rows, weights).run();
    case ScoreForm::gaussian:
      return Forward<ScoreForm::gaussian>(head, output, rows, weights).run();
    case ScoreForm::additive:
      return Forward<ScoreForm::additive>(head, output, rows, weights).run();
  }
}

void backward_of(const AttentionHead<float>& head, MatrixView<const float> output,
                 SoftmaxRows<const float> rows, MatrixView<const float> output_gradient,
                 const AttentionGradients<float>& gradients) {
  switch (head.form) {
    case ScoreForm::dot:
      return Backward<ScoreForm::dot>(head, output, rows, output_gradient, gradients).run();
    case ScoreForm::gaussian:
      return Backward<ScoreForm::gaussian>(head, output, rows, output_gradient, gradients).run();
    case ScoreForm::additive:
      return Backward<ScoreForm::additive>(head, output, rows, output_gradient, gradients).run();
  }
}

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

namespace streamed {

HWY_EXPORT(forward_of);
HWY_EXPORT(backward_of);

}  // namespace streamed

void attention_forward(const AttentionHead<float>& head, MatrixView<float> output,
                       SoftmaxRows<float> rows, MatrixView<float> weights) {
  using namespace streamed;
  HWY_DYNAMIC_DISPATCH(forward_of)(head, output, rows, weights);
}

void attention_forward(const AttentionHead<double>& head, MatrixView<double> output,
                       SoftmaxRows<double> rows, MatrixView<double> weights) {
  reference::attention_forward(head, output, rows, weights);
}

void attention_backward(const AttentionHead<float>& head, MatrixView<const float> output,
                        SoftmaxRows<const float> rows, MatrixView<const float> output_gradient,
                        const AttentionGradients<float>& gradients) {
  using namespace streamed;
  HWY_DYNAMIC_DISPATCH(backward_of)(head, output, rows, output_gradient, gradients);
}

void attention_backward(const AttentionHead<double>& head, MatrixView<const double> output,
                        SoftmaxRows<const double> rows, MatrixView<const double> output_gradient,
                        const AttentionGradients<double>& gradients) {
  reference::attention_backward(head, output, rows, output_gradient, gradients);
}

}  // namespace heed::kernels
#endif
