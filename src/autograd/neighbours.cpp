#include "heed/autograd/neighbours.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"

namespace heed {

namespace {

// Calls use(token, neighbour, column) for every neighbour that there is; `column` is where its row
// begins in that of the token.
template <typename Use>
void for_each_neighbour(const Ragged& layout, int64_t radius, int64_t width, Use use) {
  for (int64_t s = 0; s < layout.sequences(); ++s)
    for (int64_t token = layout.begin(s); token < layout.end(s); ++token) {
      const int64_t first = std::max(layout.begin(s), token - radius);
      const int64_t end = std::min(layout.end(s), token + radius + 1);
      for (int64_t neighbour = first; neighbour < end; ++neighbour)
        use(token, neighbour, (neighbour - token + radius) * width);
    }
}

}  // namespace

Variable neighbours(const Variable& x, const Ragged& layout, int64_t radius) {
  require(x.shape().rank() == 2 && x.shape()[0] == layout.tokens(),
          "neighbours: shape {} but ({}, width) was expected", x.shape(), layout.tokens());
  require(radius >= 0, "neighbours: a radius of {} but at least 0 was expected", radius);
  const int64_t width = x.shape()[1];
  const auto columns = static_cast<size_t>(width);
  Tensor y = x.tape().allocate_zeros({layout.tokens(), (2 * radius + 1) * width}, x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_neighbour(layout, radius, width, [&](int64_t token, int64_t neighbour, int64_t at) {
      std::ranges::copy(x.value().row<T>(neighbour),
                        y.row<T>(token).subspan(static_cast<size_t>(at), columns).begin());
    });
  });
  return x.tape().record(y, {x}, [x, layout, radius, width, columns](const Tensor& dy) {
    Tensor dx = x.gradient_to_add_to();
    with_type(dy.type(), [&](auto zero) {
      using T = decltype(zero);
      for_each_neighbour(layout, radius, width, [&](int64_t token, int64_t neighbour, int64_t at) {
        kernels::add_scaled(T{1}, dy.row<T>(token).subspan(static_cast<size_t>(at), columns),
                            dx.row<T>(neighbour));
      });
    });
  });
}

}  // namespace heed
