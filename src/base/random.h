// Counter-based random numbers: a hash of a key and a position. Nothing is stored, and nothing
// depends on who computes it or in which order.
#pragma once

#include <cstdint>

namespace heed {

// A key names one independent stream of random words.
struct RandomKey {
  uint32_t low = 0;
  uint32_t high = 0;

  bool operator==(const RandomKey&) const = default;
};

// The key of a seed, and the key of a part of a stream (a step, a layer, a shard).
RandomKey make_key(uint64_t seed);
RandomKey derive_key(RandomKey key, uint64_t part);

// Spreads every bit of the input over the whole word (the finaliser of MurmurHash3).
constexpr uint32_t mix_bits(uint32_t word) {
  word ^= word >> 16;
  word *= 0x85ebca6bu;
  word ^= word >> 13;
  word *= 0xc2b2ae35u;
  word ^= word >> 16;
  return word;
}

// The random word at a position of a stream. 32-bit arithmetic only, so that vector lanes can do
// the same.
constexpr uint32_t random_word(RandomKey key, uint32_t position) {
  return mix_bits(mix_bits(position ^ key.low) + key.high);
}

// A sequence of random numbers for initialisation, shuffling and tests; the same on every platform.
class Rng {
 public:
  explicit Rng(uint64_t seed) : key_(make_key(seed)) {}
  explicit Rng(RandomKey key) : key_(key) {}

  uint32_t word() { return random_word(key_, position_++); }
  double uniform();                         // in [0, 1)
  double uniform(double low, double high);  // in [low, high)
  double normal();                          // mean 0, deviation 1
  uint64_t below(uint64_t limit);           // in [0, limit), without bias; limit > 0

 private:
  RandomKey key_;
  uint32_t position_ = 0;
};

}  // namespace heed
