#include "heed/models/int8_rounding.h"

#include "heed/weights/int8_matrix.h"

namespace heed {

void round_to_int8(ParameterModel& model) {
  model.visit_parameters({}, [](const std::string&, Tensor& value) {
    if (!value.present() || !is_worth_int8(value.shape())) return;
    const Int8Matrix small = to_int8(value);
    value = from_int8(value.shape(), small.integers, small.scales);
  });
}

}  // namespace heed
