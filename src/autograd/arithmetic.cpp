#include "heed/autograd/arithmetic.h"

#include <numeric>
#include <string_view>

#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"

namespace heed {

namespace {

void require_same_type(std::string_view op, const Variable& a, const Variable& b) {
  require(a.type() == b.type(), "{}: types {} and {}", op, name_of(a.type()), name_of(b.type()));
}

void require_alike(std::string_view op, const Variable& a, const Variable& b) {
  require(a.present() && b.present(), "{}: an operand is absent", op);
  require(a.shape() == b.shape(), "{}: shapes {} and {}", op, a.shape(), b.shape());
  require_same_type(op, a, b);
}

Tensor scaled(Tape& tape, const Tensor& x, double factor) {
  Tensor y = tape.allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::scale(static_cast<T>(factor), x.span<T>(), y.span<T>());
  });
  return y;
}

Tensor product(Tape& tape, const Tensor& a, const Tensor& b) {
  Tensor y = tape.allocate(a.shape(), a.type());
  with_type(a.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::multiply(a.span<T>(), b.span<T>(), y.span<T>());
  });
  return y;
}

}  // namespace

Variable add(const Variable& a, const Variable& b) {
  require_alike("add", a, b);
  Tensor y = a.tape().allocate(a.shape(), a.type());
  with_type(a.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::add(a.value().span<T>(), b.value().span<T>(), y.span<T>());
  });
  return a.tape().record(y, {a, b},
                         [a = a.without_value(), b = b.without_value()](const Tensor& dy) {
                           a.add_gradient(dy);
                           b.add_gradient(dy);
                         });
}

Variable subtract(const Variable& a, const Variable& b) {
  require_alike("subtract", a, b);
  Tensor y = scaled(a.tape(), b.value(), -1.0);
  with_type(a.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::add_scaled(T{1}, a.value().span<T>(), y.span<T>());
  });
  return a.tape().record(y, {a, b},
                         [a = a.without_value(), b = b.without_value()](const Tensor& dy) {
                           a.add_gradient(dy);
                           if (b.needs_gradient()) b.add_gradient(scaled(b.tape(), dy, -1.0));
                         });
}

Variable multiply(const Variable& a, const Variable& b) {
  require_alike("multiply", a, b);
  return a.tape().record(product(a.tape(), a.value(), b.value()), {a, b}, [a, b](const Tensor& dy) {
    if (a.needs_gradient()) a.add_gradient(product(a.tape(), dy, b.value()));
    if (b.needs_gradient()) b.add_gradient(product(b.tape(), dy, a.value()));
  });
}

Variable scale(const Variable& x, double factor) {
  return x.tape().record(scaled(x.tape(), x.value(), factor), {x},
                         [x = x.without_value(), factor](const Tensor& dy) {
                           x.add_gradient(scaled(x.tape(), dy, factor));
                         });
}

Variable add_to_rows(const Variable& x, const Variable& bias) {
  require(bias.shape() == Shape{x.shape().columns()},
          "add_to_rows: a bias of shape {} for rows of {}", bias.shape(), x.shape());
  require_same_type("add_to_rows", x, bias);
  Tensor y = x.tape().allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::add_to_rows(x.value().span<T>(), bias.value().span<T>(), y.span<T>());
  });
  return x.tape().record(y, {x, bias}, [x = x.without_value(), bias](const Tensor& dy) {
    x.add_gradient(dy);
    if (!bias.needs_gradient()) return;
    Tensor dbias = bias.gradient_to_add_to();
    with_type(dy.type(), [&](auto zero) {
      using T = decltype(zero);
      kernels::sum_rows(dy.span<T>(), dbias.span<T>());
    });
  });
}

Variable sum(const Variable& x) {
  // Sums run in double: a mean over millions of floats would lose its digits otherwise.
  const double total = with_type(x.type(), [&](auto zero) {
    const auto values = x.value().span<decltype(zero)>();
    return std::accumulate(values.begin(), values.end(), 0.0);
  });
  Tensor y = x.tape().allocate({}, x.type());
  y.fill(total);
  return x.tape().record(y, {x}, [x](const Tensor& dy) {
    Tensor dx = x.tape().allocate(x.shape(), x.type());
    dx.fill(dy[0]);
    x.add_gradient(dx);
  });
}

Variable mean(const Variable& x) {
  require(x.value().elements() > 0, "mean: shape {} has no elements", x.shape());
  return scale(sum(x), 1.0 / static_cast<double>(x.value().elements()));
}

Variable mean_squared_error(const Variable& x, const Variable& target) {
  require_alike("mean_squared_error", x, target);
  const Variable difference = subtract(x, target);
  return mean(multiply(difference, difference));
}

}  // namespace heed
