#include "heed/base/random.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace heed {

namespace {

// SplitMix64's step: a 64-bit bijection whose outputs pass the usual batteries.
uint64_t mix_bits_64(uint64_t word) {
  word += 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

}  // namespace

RandomKey make_key(uint64_t seed) {
  const uint64_t mixed = mix_bits_64(seed);
  return {static_cast<uint32_t>(mixed), static_cast<uint32_t>(mixed >> 32)};
}

RandomKey derive_key(RandomKey key, uint64_t part) {
  const uint64_t whole = (uint64_t{key.high} << 32) | key.low;
  return make_key(whole ^ mix_bits_64(part));
}

double Rng::uniform() {
  const uint64_t high = word() >> 5;
  const uint64_t low = word() >> 6;
  return static_cast<double>((high << 26) | low) * 0x1p-53;
}

double Rng::uniform(double low, double high) { return low + (high - low) * uniform(); }

double Rng::normal() {
  // Box and Muller's transform; 1 - uniform() is never 0, so the logarithm is finite.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

uint64_t Rng::below(uint64_t limit) {
  assert(limit > 0);
  // Words at or above the largest multiple of the limit would favour the small results.
  const uint64_t remainder = (UINT64_MAX % limit + 1) % limit;
  for (;;) {
    const uint64_t high = word();
    const uint64_t candidate = (high << 32) | word();
    if (candidate <= UINT64_MAX - remainder) return candidate % limit;
  }
}

}  // namespace heed
