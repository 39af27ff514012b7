#include "heed/autograd/normalisation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"
#include "heed/kernels/layer_norm.h"
#include "heed/kernels/rms_norm.h"
#include "heed/kernels/softmax.h"

namespace heed {

Variable softmax(const Variable& x) {
  const int64_t columns = x.shape().columns();
  Tensor y = x.tape().allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::softmax(x.value().span<T>(), y.span<T>(), columns);
  });
  return x.tape().record(y, {x}, [x, y, columns](const Tensor& dy) {
    Tensor dx = x.tape().allocate(x.shape(), x.type());
    with_type(dy.type(), [&](auto zero) {
      using T = decltype(zero);
      kernels::softmax_backward(y.span<T>(), dy.span<T>(), dx.span<T>(), columns);
    });
    x.add_gradient(dx);
  });
}

namespace {

// Where a parameter's gradient is added to; a place that nobody reads if it needs none.
Tensor gradient_sink(const Variable& parameter) {
  return parameter.needs_gradient()
             ? parameter.gradient_to_add_to()
             : parameter.tape().allocate_zeros(parameter.shape(), parameter.type());
}

}  // namespace

Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias, double epsilon) {
  const Shape width{x.shape().columns()};
  require(gain.shape() == width && bias.shape() == width,
          "layer_norm: gain {} and bias {} do not fit rows of {}", gain.shape(), bias.shape(),
          x.shape());
  require(gain.type() == x.type() && bias.type() == x.type(),
          "layer_norm: gain of type {} and bias of type {} for rows of type {}",
          name_of(gain.type()), name_of(bias.type()), name_of(x.type()));
  Tape& tape = x.tape();
  Tensor y = tape.allocate(x.shape(), x.type());
  Tensor means = tape.allocate({x.shape().rows()}, x.type());
  Tensor inverse_deviations = tape.allocate({x.shape().rows()}, x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::layer_norm(x.value().span<T>(), gain.value().span<T>(), bias.value().span<T>(),
                        static_cast<T>(epsilon), y.span<T>(), means.span<T>(),
                        inverse_deviations.span<T>());
  });
  return tape.record(
      y, {x, gain, bias}, [x, gain, bias, means, inverse_deviations](const Tensor& dy) {
        Tensor dx = x.tape().allocate(x.shape(), x.type());
        Tensor dgain = gradient_sink(gain);
        Tensor dbias = gradient_sink(bias);
        with_type(dy.type(), [&](auto zero) {
          using T = decltype(zero);
          kernels::layer_norm_backward(x.value().span<T>(), gain.value().span<T>(), means.span<T>(),
                                       inverse_deviations.span<T>(), dy.span<T>(), dx.span<T>(),
                                       dgain.span<T>(), dbias.span<T>());
        });
        x.add_gradient(dx);
      });
}

Variable rms_norm(const Variable& x, const Variable& gain, double epsilon) {
  require(gain.shape() == Shape{x.shape().columns()}, "rms_norm: gain {} does not fit rows of {}",
          gain.shape(), x.shape());
  require(gain.type() == x.type(), "rms_norm: gain of type {} for rows of type {}",
          name_of(gain.type()), name_of(x.type()));
  Tape& tape = x.tape();
  Tensor y = tape.allocate(x.shape(), x.type());
  Tensor inverse_sizes = tape.allocate({x.shape().rows()}, x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::rms_norm(x.value().span<T>(), gain.value().span<T>(), static_cast<T>(epsilon),
                      y.span<T>(), inverse_sizes.span<T>());
  });
  return tape.record(y, {x, gain}, [x, gain, inverse_sizes](const Tensor& dy) {
    Tensor dx = x.tape().allocate(x.shape(), x.type());
    Tensor dgain = gradient_sink(gain);
    with_type(dy.type(), [&](auto zero) {
      using T = decltype(zero);
      kernels::rms_norm_backward(x.value().span<T>(), gain.value().span<T>(),
                                 inverse_sizes.span<T>(), dy.span<T>(), dx.span<T>(),
                                 dgain.span<T>());
    });
    x.add_gradient(dx);
  });
}

namespace {

// No number where its square leaves the range of T: what overflows must be seen, and the row
// divided by infinity would be zeros.
template <typename T>
T length_of(std::span<const T> row) {
  const T length = std::sqrt(kernels::dot(row, row));
  return std::isinf(length) ? std::numeric_limits<T>::quiet_NaN() : length;
}

}  // namespace

Variable unit_rows(const Variable& x, double epsilon) {
  Tape& tape = x.tape();
  const int64_t rows = x.shape().rows();
  Tensor y = tape.allocate(x.shape(), x.type());
  Tensor lengths = tape.allocate({rows}, x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < rows; ++r) {
      const std::span<const T> row = x.value().row<T>(r);
      const T length = std::max(length_of(row), static_cast<T>(epsilon));
      lengths.data<T>()[r] = length;
      kernels::scale(1 / length, row, y.row<T>(r));
    }
  });
  // dx = (dy - y (y·dy)) / length; a row shorter than epsilon was only scaled.
  return tape.record(y, {x}, [x, y, lengths, epsilon, rows](const Tensor& dy) {
    Tensor dx = x.tape().allocate(x.shape(), x.type());
    with_type(dy.type(), [&](auto zero) {
      using T = decltype(zero);
      for (int64_t r = 0; r < rows; ++r) {
        const T length = lengths.data<T>()[r];
        const auto unit = y.row<T>(r);
        const auto gradient = dy.row<T>(r);
        const auto out = dx.row<T>(r);
        kernels::scale(1 / length, gradient, out);
        if (length > static_cast<T>(epsilon))
          kernels::add_scaled(-kernels::dot(unit, gradient) / length, unit, out);
      }
    });
    x.add_gradient(dx);
  });
}

}  // namespace heed
