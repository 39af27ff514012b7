#include "heed/autograd/adapted_linear.h"

#include <utility>

#include "heed/autograd/product.h"
#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"

namespace heed {

namespace {

struct Operands {
  Variable x, weight, bias, down, up;
};

// What the layer gives before its activation; `low` is scale x downᵀ.
void compute(const Operands& in, double scale, Tensor& low, Tensor& z) {
  with_type(z.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::GemmOptions<T> options;
    if (in.bias.present()) options.bias = in.bias.value().span<T>();
    const kernels::MatrixView<const T> x = in.x.value().matrix<T>();
    const bool learns = in.x.tape().recording();
    multiply<T>(learns, x, in.weight.value().matrix<T>().transposed(), z.matrix<T>(), options);
    multiply<T>(learns, x, in.down.value().matrix<T>().transposed(), low.matrix<T>());
    for (T& number : low.span<T>()) number *= static_cast<T>(scale);
    multiply<T>(learns, std::as_const(low).matrix<T>(), in.up.value().matrix<T>().transposed(),
                z.matrix<T>(), {.accumulate = true});
  });
}

void send_back(const Operands& in, double scale, const Tensor& low, const Tensor& dz) {
  Tensor dlow = in.x.tape().allocate(low.shape(), low.type());
  with_type(dz.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::split_gemm(dz.matrix<T>(), in.up.value().matrix<T>(), dlow.matrix<T>());
    for (T& number : dlow.span<T>()) number *= static_cast<T>(scale);
    const kernels::MatrixView<const T> d = std::as_const(dlow).matrix<T>();
    add_product<T>(in.up, dz.matrix<T>().transposed(), low.matrix<T>());
    add_product<T>(in.down, d.transposed(), in.x.value().matrix<T>());
    add_product<T>(in.x, dz.matrix<T>(), in.weight.value().matrix<T>());
    add_product<T>(in.x, d, in.down.value().matrix<T>());
    add_product<T>(in.weight, dz.matrix<T>().transposed(), in.x.value().matrix<T>());
    if (!in.bias.needs_gradient()) return;
    Tensor dbias = in.bias.gradient_to_add_to();
    kernels::sum_rows(dz.span<T>(), dbias.span<T>());
  });
}

}  // namespace

Variable adapted_linear(const Variable& x, const Variable& weight, const Variable& bias,
                        const Variable& down, const Variable& up, double scale,
                        Activation activation) {
  require(weight.shape().rank() == 2 && x.shape().rank() >= 1 &&
              x.shape().columns() == weight.shape()[1],
          "adapted linear: input {} does not fit weight {}", x.shape(), weight.shape());
  require(!bias.present() || bias.shape() == Shape{weight.shape()[0]},
          "adapted linear: bias {} does not fit weight {}", bias.shape(), weight.shape());
  require(
      down.shape().rank() == 2 && up.shape().rank() == 2 && down.shape()[1] == weight.shape()[1] &&
          up.shape()[0] == weight.shape()[0] && down.shape()[0] == up.shape()[1],
      "adapted linear: {} and {} do not fit weight {}", down.shape(), up.shape(), weight.shape());
  for (const Variable* other : {&weight, &down, &up})
    require(other->type() == x.type(), "adapted linear: input of type {} but weights of type {}",
            name_of(x.type()), name_of(other->type()));
  Tape& tape = x.tape();
  const Operands in = {x, weight, bias, down, up};
  Tensor z = tape.allocate(x.shape().with_last(weight.shape()[0]), x.type()),
         low = tape.allocate(x.shape().with_last(down.shape()[0]), x.type());
  compute(in, scale, low, z);
  // The gradient of relu follows from its result.
  Tensor y = z;
  const bool in_place = activation == Activation::identity || activation == Activation::relu;
  if (!in_place) y = tape.allocate(z.shape(), z.type());
  if (activation != Activation::identity)
    with_type(z.type(), [&](auto zero) {
      using T = decltype(zero);
      kernels::activate(activation, std::as_const(z).span<T>(), y.span<T>());
    });
  return tape.record(
      y, {x, weight, bias, down, up}, [in, scale, activation, low, z](const Tensor& dy) {
        if (activation == Activation::identity) return send_back(in, scale, low, dy);
        Tensor dz = in.x.tape().allocate(z.shape(), z.type());
        with_type(z.type(), [&](auto zero) {
          using T = decltype(zero);
          kernels::activate_backward(activation, z.span<T>(), dy.span<T>(), dz.span<T>());
        });
        send_back(in, scale, low, dz);
      });
}

}  // namespace heed
