// The types of numbers that a safetensors file can hold, with the names the format gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heed {

enum class StoredType {
  boolean,
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  u64,
  i64,
  f16,
  bf16,
  f32,
  f64,
  // Known, so that files with them can be opened, but their values cannot be read.
  f4,
  f6_e2m3,
  f6_e3m2,
  f8_e5m2,
  f8_e4m3,
  f8_e8m0,
  c64,
};

std::string_view name_of(StoredType type);  // "F32"
std::optional<StoredType> stored_type_named(std::string_view name);
int bits_of(StoredType type);

// The bytes that this many elements take; nothing if that is not a whole number or does not fit 63
// bits.
std::optional<int64_t> bytes_of(StoredType type, int64_t elements);

}  // namespace heed
