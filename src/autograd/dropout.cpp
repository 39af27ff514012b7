#include "heed/autograd/dropout.h"

#include "heed/autograd/arithmetic.h"
#include "heed/base/error.h"
#include "heed/kernels/dropout.h"

namespace heed {

namespace {

bool drops(const Tape& tape, double rate) {
  require(rate >= 0.0 && rate < 1.0, "dropout: a rate of {} but 0 <= rate < 1 was expected", rate);
  return tape.training() && rate > 0.0;
}

Tensor dropped(Tape& tape, const Tensor& from, double rate, RandomKey key) {
  Tensor into = tape.allocate(from.shape(), from.type());
  with_type(from.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::dropout(from.span<T>(), into.span<T>(), rate, key);
  });
  return into;
}

}  // namespace

Variable dropout(const Variable& x, double rate) {
  Tape& tape = x.tape();
  if (!drops(tape, rate)) return x;
  const RandomKey key = tape.next_key();
  return tape.record(dropped(tape, x.value(), rate, key), {x},
                     [x = x.without_value(), rate, key](const Tensor& dy) {
                       x.add_gradient(dropped(x.tape(), dy, rate, key));
                     });
}

Variable add_dropped(const Variable& x, const Variable& update, double rate) {
  Tape& tape = x.tape();
  if (!drops(tape, rate)) return add(x, update);
  require(x.shape() == update.shape() && x.type() == update.type(),
          "add_dropped: shapes {} and {}, types {} and {}", x.shape(), update.shape(),
          name_of(x.type()), name_of(update.type()));
  const RandomKey key = tape.next_key();
  Tensor y = tape.allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::add_dropped(x.value().span<T>(), update.value().span<T>(), y.span<T>(), rate, key);
  });
  return tape.record(
      y, {x, update},
      [x = x.without_value(), update = update.without_value(), rate, key](const Tensor& dy) {
        x.add_gradient(dy);
        if (update.needs_gradient()) update.add_gradient(dropped(update.tape(), dy, rate, key));
      });
}

}  // namespace heed
