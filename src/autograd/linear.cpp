#include "heed/autograd/linear.h"

#include "heed/autograd/product.h"
#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"
#include "heed/kernels/gemm.h"

namespace heed {

namespace {

Tensor activation_gradient(Tape& tape, Activation kind, const Tensor& x, const Tensor& dy) {
  Tensor dx = tape.allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::activate_backward(kind, x.span<T>(), dy.span<T>(), dx.span<T>());
  });
  return dx;
}

void linear_backward(const Variable& x, const Variable& weight, const Variable& bias,
                     const Tensor& dz) {
  with_type(dz.type(), [&](auto zero) {
    using T = decltype(zero);
    add_product<T>(x, dz.matrix<T>(), weight.value().matrix<T>());
    add_product<T>(weight, dz.matrix<T>().transposed(), x.value().matrix<T>());
    if (bias.needs_gradient()) {
      Tensor dbias = bias.gradient_to_add_to();
      kernels::sum_rows(dz.span<T>(), dbias.span<T>());
    }
  });
}

}  // namespace

Variable linear(const Variable& x, const Variable& weight, const Variable& bias,
                Activation activation) {
  require(weight.shape().rank() == 2 && x.shape().rank() >= 1 &&
              x.shape().columns() == weight.shape()[1],
          "linear: input {} does not fit weight {}", x.shape(), weight.shape());
  require(!bias.present() || bias.shape() == Shape{weight.shape()[0]},
          "linear: bias {} does not fit weight {}", bias.shape(), weight.shape());
  require(x.type() == weight.type(), "linear: input of type {} but weight of type {}",
          name_of(x.type()), name_of(weight.type()));
  require(!bias.present() || bias.type() == x.type(),
          "linear: input of type {} but bias of type {}", name_of(x.type()), name_of(bias.type()));

  Tape& tape = x.tape();
  // The gradients of identity and relu follow from the result, so these are fused. The other
  // activations need their inputs.
  const bool in_one_pass =
      activation == Activation::identity || activation == Activation::relu || !tape.recording();
  Tensor z = tape.allocate(x.shape().with_last(weight.shape()[0]), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::GemmOptions<T> options;
    if (bias.present()) options.bias = bias.value().span<T>();
    if (in_one_pass) options.activation = activation;
    multiply<T>(tape.recording(), x.value().matrix<T>(), weight.value().matrix<T>().transposed(),
                z.matrix<T>(), options);
  });
  Tensor y = z;
  if (!in_one_pass) {
    y = tape.allocate(z.shape(), z.type());
    with_type(x.type(), [&](auto zero) {
      using T = decltype(zero);
      kernels::activate(activation, std::as_const(z).span<T>(), y.span<T>());
    });
  }
  return tape.record(y, {x, weight, bias}, [x, weight, bias, activation, z](const Tensor& dy) {
    const bool straight = activation == Activation::identity;
    linear_backward(x, weight, bias,
                    straight ? dy : activation_gradient(x.tape(), activation, z, dy));
  });
}

Variable matmul(const Variable& a, const Variable& b) {
  require(b.shape().rank() == 2 && a.shape().rank() >= 1 && a.shape().columns() == b.shape()[0],
          "matmul: {} does not fit {}", a.shape(), b.shape());
  require(a.type() == b.type(), "matmul: types {} and {}", name_of(a.type()), name_of(b.type()));
  Tensor y = a.tape().allocate(a.shape().with_last(b.shape()[1]), a.type());
  with_type(a.type(), [&](auto zero) {
    using T = decltype(zero);
    multiply<T>(a.tape().recording(), a.value().matrix<T>(), b.value().matrix<T>(), y.matrix<T>());
  });
  return a.tape().record(y, {a, b}, [a, b](const Tensor& dy) {
    with_type(dy.type(), [&](auto zero) {
      using T = decltype(zero);
      add_product<T>(a, dy.matrix<T>(), b.value().matrix<T>().transposed());
      add_product<T>(b, a.value().matrix<T>().transposed(), dy.matrix<T>());
    });
  });
}

Variable activate(Activation kind, const Variable& x) {
  Tensor y = x.tape().allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::activate(kind, x.value().span<T>(), y.span<T>());
  });
  return x.tape().record(y, {x}, [kind, x](const Tensor& dy) {
    x.add_gradient(activation_gradient(x.tape(), kind, x.value(), dy));
  });
}

}  // namespace heed
