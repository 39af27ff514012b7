// The types of arrays in CTranslate2's files.
#pragma once

#include "heed/weights/stored_type.h"

namespace heed::ctranslate2 {

// In the order of their numbers in the format.
inline constexpr StoredType numbered_types[] = {StoredType::f32, StoredType::i8,  StoredType::i16,
                                                StoredType::i32, StoredType::f16, StoredType::bf16};

}  // namespace heed::ctranslate2
