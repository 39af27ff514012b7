#include "heed/weights/stored_type.h"

#include <algorithm>
#include <array>

namespace heed {

namespace {

struct Description {
  StoredType type;
  std::string_view name;
  int bits;
};

// In the order of the enumeration, so that a type is its own index.
constexpr std::array descriptions = {
    Description{StoredType::boolean, "BOOL", 8},    Description{StoredType::u8, "U8", 8},
    Description{StoredType::i8, "I8", 8},           Description{StoredType::u16, "U16", 16},
    Description{StoredType::i16, "I16", 16},        Description{StoredType::u32, "U32", 32},
    Description{StoredType::i32, "I32", 32},        Description{StoredType::u64, "U64", 64},
    Description{StoredType::i64, "I64", 64},        Description{StoredType::f16, "F16", 16},
    Description{StoredType::bf16, "BF16", 16},      Description{StoredType::f32, "F32", 32},
    Description{StoredType::f64, "F64", 64},        Description{StoredType::f4, "F4", 4},
    Description{StoredType::f6_e2m3, "F6_E2M3", 6}, Description{StoredType::f6_e3m2, "F6_E3M2", 6},
    Description{StoredType::f8_e5m2, "F8_E5M2", 8}, Description{StoredType::f8_e4m3, "F8_E4M3", 8},
    Description{StoredType::f8_e8m0, "F8_E8M0", 8}, Description{StoredType::c64, "C64", 64},
};

constexpr bool in_order() {
  for (size_t i = 0; i < descriptions.size(); ++i)
    if (static_cast<size_t>(descriptions[i].type) != i) return false;
  return true;
}
static_assert(in_order());

const Description& description_of(StoredType type) {
  return descriptions[static_cast<size_t>(type)];
}

}  // namespace

std::string_view name_of(StoredType type) { return description_of(type).name; }

std::optional<StoredType> stored_type_named(std::string_view name) {
  const auto found = std::ranges::find(descriptions, name, &Description::name);
  if (found == descriptions.end()) return std::nullopt;
  return found->type;
}

int bits_of(StoredType type) { return description_of(type).bits; }

std::optional<int64_t> bytes_of(StoredType type, int64_t elements) {
  int64_t bits = 0;
  if (__builtin_mul_overflow(elements, int64_t{bits_of(type)}, &bits) || bits % 8 != 0)
    return std::nullopt;
  return bits / 8;
}

}  // namespace heed
