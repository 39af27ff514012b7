// Counts of whole units.
#pragma once

#include <concepts>
#include <type_traits>

namespace heed {

// How many units of this size hold `count`. The caller knows that count + size fits the type.
template <std::integral Count>
constexpr Count divide_up(Count count, std::type_identity_t<Count> size) {
  return (count + size - 1) / size;
}

// The smallest multiple that is not less than `count`.
template <std::integral Count>
constexpr Count round_up(Count count, std::type_identity_t<Count> multiple) {
  return divide_up(count, multiple) * multiple;
}

}  // namespace heed
