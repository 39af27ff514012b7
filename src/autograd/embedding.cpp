#include "heed/autograd/embedding.h"

#include <vector>

#include "heed/base/error.h"
#include "heed/kernels/embedding.h"

namespace heed {

Variable embed(const Variable& table, std::span<const int32_t> ids, double scale) {
  require(table.shape().rank() == 2,
          "embed: a table of shape {} but (vocabulary, width) was expected", table.shape());
  const int64_t vocabulary = table.shape()[0], width = table.shape()[1];
  for (const int32_t id : ids)
    require(id >= 0 && id < vocabulary, "embed: id {} is not in a vocabulary of {}", id,
            vocabulary);
  Tensor y = table.tape().allocate({static_cast<int64_t>(ids.size()), width}, table.type());
  with_type(table.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::gather_rows(table.value().span<T>(), ids, width, static_cast<T>(scale), y.span<T>());
  });
  std::vector<int32_t> kept(ids.begin(), ids.end());
  return table.tape().record(y, {table},
                             [table, scale, width, kept = std::move(kept)](const Tensor& dy) {
                               if (const auto* rows = table.tape().place_of_rows(table))
                                 return rows->add(dy, kept, scale);
                               Tensor dtable = table.gradient_to_add_to();
                               with_type(dy.type(), [&](auto zero) {
                                 using T = decltype(zero);
                                 kernels::scatter_add_rows(dy.span<T>(), kept, width,
                                                           static_cast<T>(scale), dtable.span<T>());
                               });
                             });
}

}  // namespace heed
