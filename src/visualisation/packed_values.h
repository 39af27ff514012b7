// Arrays of attention as bytes, for the page that shows them: web/README.md defines the format.
#pragma once

#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct Packing {
  bool causal = false;     // query i has keys 0 … i only; the others are left out
  bool is_signed = false;  // values may be negative
};

struct PackedValues {
  bool is_signed = false;
  std::vector<double> scales;  // of each head, layer by layer: what the largest byte stands for
  std::string data;            // the bytes, compressed by zlib, in base64
};

// values (layers, heads, queries, keys), finite. A value is off by at most half a byte's step: its
// head's scale / 510, or scale / 254 if they are signed.
PackedValues pack_values(const Tensor& values, const Packing& packing);

}  // namespace heed
