#include "heed/autograd/layout.h"

#include <algorithm>
#include <vector>

#include "heed/base/error.h"

namespace heed {

namespace {

// Copies or adds a block of columns between matrices of equal rows.
template <typename T>
void copy_columns(kernels::MatrixView<const T> from, int64_t from_column,
                  kernels::MatrixView<T> into, int64_t into_column, int64_t columns) {
  for (int64_t row = 0; row < from.rows; ++row)
    std::copy_n(from.row(row) + from_column, columns, into.row(row) + into_column);
}

template <typename T>
void add_columns(kernels::MatrixView<const T> from, kernels::MatrixView<T> into,
                 int64_t into_column) {
  for (int64_t row = 0; row < from.rows; ++row) {
    T* target = into.row(row) + into_column;
    for (int64_t c = 0; c < from.columns; ++c) target[c] += from(row, c);
  }
}

Tensor columns_of(Tape& tape, const Tensor& x, int64_t begin, int64_t end) {
  Tensor y = tape.allocate(x.shape().with_last(end - begin), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    copy_columns(x.matrix<T>(), begin, y.matrix<T>(), 0, end - begin);
  });
  return y;
}

}  // namespace

Variable reshape(const Variable& x, Shape shape) {
  return x.tape().record(x.value().reshape(shape), {x},
                         [x](const Tensor& dy) { x.add_gradient(dy.reshape(x.shape())); });
}

Variable slice(const Variable& x, int64_t begin, int64_t end) {
  return x.tape().record(x.value().slice(begin, end), {x}, [x, begin, end](const Tensor& dy) {
    Tensor part = x.gradient_to_add_to().slice(begin, end);
    with_type(dy.type(), [&](auto zero) {
      using T = decltype(zero);
      std::ranges::transform(dy.span<T>(), part.span<T>(), part.span<T>().begin(), std::plus<T>());
    });
  });
}

Variable slice_columns(const Variable& x, int64_t begin, int64_t end) {
  require(x.shape().rank() > 0 && begin >= 0 && begin <= end && end <= x.shape().columns(),
          "slice_columns: [{}, {}) of shape {}", begin, end, x.shape());
  return x.tape().record(columns_of(x.tape(), x.value(), begin, end), {x},
                         [x, begin](const Tensor& dy) {
                           Tensor dx = x.gradient_to_add_to();
                           with_type(dy.type(), [&](auto zero) {
                             using T = decltype(zero);
                             add_columns(dy.matrix<T>(), dx.matrix<T>(), begin);
                           });
                         });
}

Variable concatenate_columns(std::span<const Variable> parts) {
  require(!parts.empty(), "concatenate_columns: nothing to concatenate");
  int64_t columns = 0;
  for (const Variable& part : parts) {
    require(part.shape().rank() > 0 && part.shape().with_last(0) == parts[0].shape().with_last(0),
            "concatenate_columns: shapes {} and {}", parts[0].shape(), part.shape());
    require(part.type() == parts[0].type(), "concatenate_columns: types {} and {}",
            name_of(parts[0].type()), name_of(part.type()));
    columns += part.shape().columns();
  }
  Tape& tape = parts[0].tape();
  Tensor y = tape.allocate(parts[0].shape().with_last(columns), parts[0].type());
  int64_t begin = 0;
  for (const Variable& part : parts) {
    with_type(y.type(), [&](auto zero) {
      using T = decltype(zero);
      copy_columns(part.value().matrix<T>(), 0, y.matrix<T>(), begin, part.shape().columns());
    });
    begin += part.shape().columns();
  }
  std::vector<Variable> kept(parts.begin(), parts.end());
  return tape.record(y, parts, [kept = std::move(kept)](const Tensor& dy) {
    int64_t first = 0;
    for (const Variable& part : kept) {
      const int64_t end = first + part.shape().columns();
      if (part.needs_gradient()) part.add_gradient(columns_of(part.tape(), dy, first, end));
      first = end;
    }
  });
}

}  // namespace heed
