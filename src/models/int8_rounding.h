// What storing weights as 8-bit integers does to them.
#pragma once

#include "heed/models/model.h"

namespace heed {

// Makes the model's weights what they are after they have been stored as int8, where the model
// still has them: so one that computes with integers is the same model, whether its weights were
// stored as integers or not.
void round_to_int8(ParameterModel& model);

}  // namespace heed
