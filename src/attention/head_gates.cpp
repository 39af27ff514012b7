#include "heed/attention/head_gates.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"

namespace heed {

namespace {

template <typename T>
void scale_parts(const Tensor& x, const std::vector<double>& gates, Tensor& y) {
  const auto width = static_cast<size_t>(x.shape().columns()) / gates.size();
  for (int64_t row = 0; row < x.shape().rows(); ++row)
    for (size_t head = 0; head < gates.size(); ++head) {
      const std::span<const T> from(x.matrix<T>().row(row) + head * width, width);
      const std::span<T> into(y.matrix<T>().row(row) + head * width, width);
      if (gates[head] == 0.0) {
        std::ranges::fill(into, T(0));
      } else {
        kernels::scale(static_cast<T>(gates[head]), from, into);
      }
    }
}

Tensor scaled(Tape& tape, const Tensor& x, const std::vector<double>& gates) {
  Tensor y = tape.allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) { scale_parts<decltype(zero)>(x, gates, y); });
  return y;
}

}  // namespace

Variable scale_heads(const Variable& x, const std::vector<double>& gates) {
  if (gates.empty()) return x;
  require(x.shape().columns() % static_cast<int64_t>(gates.size()) == 0,
          "scale_heads: {} gates do not divide a width of {}", gates.size(), x.shape().columns());
  const Variable input = x.without_value();
  return x.tape().record(scaled(x.tape(), x.value(), gates), {x},
                         [input, gates](const Tensor& gradient) {
                           input.add_gradient(scaled(input.tape(), gradient, gates));
                         });
}

}  // namespace heed
