#include "heed/autograd/dropout.h"

#include "heed/base/error.h"
#include "heed/kernels/dropout.h"

namespace heed {

Variable dropout(const Variable& x, double rate) {
  require(rate >= 0.0 && rate < 1.0, "dropout: a rate of {} but 0 <= rate < 1 was expected", rate);
  Tape& tape = x.tape();
  if (!tape.training() || rate == 0.0) return x;
  const RandomKey key = tape.next_key();
  const auto drop = [rate, key](Tape& on, const Tensor& from) {
    Tensor into = on.allocate(from.shape(), from.type());
    with_type(from.type(), [&](auto zero) {
      using T = decltype(zero);
      kernels::dropout(from.span<T>(), into.span<T>(), rate, key);
    });
    return into;
  };
  return tape.record(drop(tape, x.value()), {x},
                     [x, drop](const Tensor& dy) { x.add_gradient(drop(x.tape(), dy)); });
}

}  // namespace heed
