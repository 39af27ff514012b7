// The names of enumerations' values, for flags and files.
#pragma once

namespace heed {

template <typename Value>
struct NamedValue {
  Value value;
  const char* name;
};

// Specialised for each enumeration that is a setting, with an array `values` of NamedValue.
template <typename Enum>
struct EnumNames;

template <typename Value>
constexpr bool is_named = requires {
  EnumNames<Value>::values;
};

}  // namespace heed
