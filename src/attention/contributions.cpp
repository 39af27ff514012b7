#include "heed/attention/contributions.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/kernels/gemm.h"

namespace heed {

namespace {

using kernels::MatrixView;

// The arrays of one sequence, head by head.
template <typename T>
class Heads {
 public:
  explicit Heads(const RecordedAttention& attention) : attention_(attention) {
    const Shape& shape = attention.weights.shape();
    require(shape.rank() == 4 && shape[0] == 1 && attention.values.present(),
            "recorded attention: weights of shape {}, but those of one whole sequence were "
            "expected",
            shape);
    heads_ = shape[1], queries_ = shape[2], keys_ = shape[3];
    const int64_t columns = attention.values.shape().columns();
    width_ =
        attention.output_weight.present() ? attention.output_weight.shape()[1] / heads_ : columns;
    group_ = heads_ / (columns / width_);
  }

  int64_t heads() const { return heads_; }
  int64_t queries() const { return queries_; }
  int64_t keys() const { return keys_; }
  Shape shape() const { return {heads_, queries_, keys_}; }

  MatrixView<const T> weights(int64_t head) const {
    return attention_.weights.matrix<T>().block(head * queries_, 0, queries_, keys_);
  }
  MatrixView<const T> values(int64_t head) const {
    return attention_.values.matrix<T>().block(0, head / group_ * width_, keys_, width_);
  }
  MatrixView<const T> gradient(int64_t head) const {
    return attention_.gradient->matrix<T>().block(0, head * width_, queries_, width_);
  }
  MatrixView<const T> output_weight(int64_t head) const {
    const MatrixView<const T> whole = attention_.output_weight.matrix<T>();
    return whole.block(0, head * width_, whole.rows, width_);
  }

 private:
  const RecordedAttention& attention_;
  int64_t heads_, queries_, keys_, width_, group_;
};

template <typename T>
T norm_of(const T* row, int64_t size) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) sum += static_cast<double>(row[i]) * row[i];
  return static_cast<T>(std::sqrt(sum));
}

// ‖f(x)‖ of each key.
template <typename T>
std::vector<T> value_norms(const Heads<T>& of, int64_t head, bool projected) {
  MatrixView<const T> values = of.values(head);
  Tensor products;
  if (projected && of.keys() > 0) {
    const MatrixView<const T> weight = of.output_weight(head);
    products = Tensor::uninitialised({of.keys(), weight.rows}, type_of<T>());
    kernels::gemm(values, weight.transposed(), products.matrix<T>());
    values = std::as_const(products).template matrix<T>();
  }
  std::vector<T> norms;
  for (int64_t key = 0; key < of.keys(); ++key)
    norms.push_back(norm_of(values.row(key), values.columns));
  return norms;
}

template <typename T>
Tensor norms_of(const RecordedAttention& attention) {
  const Heads<T> of(attention);
  Tensor norms = Tensor::zeros(of.shape(), type_of<T>());
  for (int64_t head = 0; head < of.heads(); ++head) {
    const std::vector<T> lengths = value_norms(of, head, attention.output_weight.present());
    const T gate = static_cast<T>(std::abs(attention.gate(head)));
    for (int64_t query = 0; query < of.queries(); ++query)
      for (int64_t key = 0; key < of.keys(); ++key)
        norms.matrix<T>()(head * of.queries() + query, key) =
            gate * of.weights(head)(query, key) * lengths[static_cast<size_t>(key)];
  }
  return norms;
}

template <typename T>
HeadGradients gradients_of(const RecordedAttention& attention, bool causal) {
  const Heads<T> of(attention);
  HeadGradients result{Tensor::zeros(of.shape(), type_of<T>()),
                       std::vector<double>(static_cast<size_t>(of.heads()))};
  // No gradient arrives where nothing that it is of depends on this attention.
  if (!attention.gradient->present() || of.keys() == 0) return result;
  for (int64_t head = 0; head < of.heads(); ++head) {
    const MatrixView<T> found =
        result.weights.matrix<T>().block(head * of.queries(), 0, of.queries(), of.keys());
    kernels::gemm(of.gradient(head), of.values(head).transposed(), found);
    const T gate = static_cast<T>(attention.gate(head));
    double sum = 0;
    for (int64_t query = 0; query < of.queries(); ++query) {
      const int64_t seen = causal ? std::min(query + 1, of.keys()) : of.keys();
      std::fill(found.row(query) + seen, found.row(query) + of.keys(), T(0));
      for (int64_t key = 0; key < seen; ++key) {
        sum += static_cast<double>(of.weights(head)(query, key)) * found(query, key);
        found(query, key) *= gate;
      }
    }
    result.gates[static_cast<size_t>(head)] = sum;
  }
  return result;
}

}  // namespace

Tensor contribution_norms(const RecordedAttention& attention) {
  return with_type(attention.weights.type(),
                   [&](auto zero) { return norms_of<decltype(zero)>(attention); });
}

HeadGradients head_gradients(const RecordedAttention& attention, bool causal) {
  return with_type(attention.weights.type(),
                   [&](auto zero) { return gradients_of<decltype(zero)>(attention, causal); });
}

}  // namespace heed
