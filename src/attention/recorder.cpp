#include "heed/attention/recorder.h"

#include <utility>

namespace heed {

Variable keep_gradient(const Variable& x, std::shared_ptr<Tensor> gradient) {
  const Variable input = x.without_value();
  return x.tape().record(x.value(), {x},
                         [input, kept = std::move(gradient)](const Tensor& arrived) {
                           *kept = arrived;
                           input.add_gradient(arrived);
                         });
}

}  // namespace heed
