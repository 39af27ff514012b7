// Attention of the C interface.
#include <algorithm>

#include "heed/api/border.h"
#include "heed/api/options.h"
#include "heed/attention/attend.h"

namespace heed::api {

namespace {

heed_attention default_attention() {
  return {.size = sizeof(heed_attention),
          .queries = nullptr,
          .keys = nullptr,
          .values = nullptr,
          .valid_lengths = nullptr,
          .batch = 1,
          .query_count = 0,
          .key_count = 0,
          .width = 0,
          .value_width = 0,
          .heads = 1,
          .causal = 0};
}

void check(const heed_attention& attention) {
  require_given(attention.queries, "heed_attend", "queries");
  require_given(attention.keys, "heed_attend", "keys");
  require_given(attention.values, "heed_attend", "values");
  const std::pair<const char*, int64_t> sizes[] = {{"batch", attention.batch},
                                                   {"query_count", attention.query_count},
                                                   {"key_count", attention.key_count},
                                                   {"width", attention.width},
                                                   {"value_width", attention.value_width},
                                                   {"heads", attention.heads}};
  constexpr int64_t most = int64_t{1} << 31;  // so that no product of two overflows
  for (const auto& [name, size] : sizes)
    require(size >= 1 && size < most, ErrorKind::usage,
            "heed_attend: {} is {}, but 1 to 2147483647 was expected", name, size);
}

// The caller's numbers, where they are; attention only reads them.
Tensor borrowed(const float* numbers, const Shape& shape) {
  return Tensor::sharing(shape, Type::float32, const_cast<float*>(numbers), nullptr);
}

void attend_to(const heed_attention& given, float* output, float* weights) {
  Tape tape({.record = false});
  Mask mask{.causal = given.causal != 0};
  if (given.valid_lengths != nullptr)
    mask.valid_lengths.assign(given.valid_lengths, given.valid_lengths + given.batch);
  const auto array = [&](const float* numbers, int64_t length, int64_t width) {
    return tape.constant(borrowed(numbers, {given.batch, length, given.heads * width}));
  };
  const Attended attended =
      attend({.queries = array(given.queries, given.query_count, given.width),
              .keys = array(given.keys, given.key_count, given.width),
              .values = array(given.values, given.key_count, given.value_width),
              .mask = std::move(mask),
              .heads = given.heads,
              .want_weights = weights != nullptr});
  std::ranges::copy(attended.output.value().span<float>(), output);
  if (weights != nullptr) std::ranges::copy(attended.weights.span<float>(), weights);
}

}  // namespace

}  // namespace heed::api

using heed::api::guarded, heed::api::require_given;

heed_status heed_attention_init(heed_attention* attention, size_t size) {
  return guarded([&] {
    heed::api::init_options(attention, size, heed::api::default_attention(), "heed_attention_init");
  });
}

heed_status heed_attend(const heed_attention* attention, float* output, float* weights) {
  return guarded([&] {
    require_given(attention, "heed_attend", "the attention");
    require_given(output, "heed_attend", "where to put the output");
    const heed_attention given =
        heed::api::read_options(attention, heed::api::default_attention(), "heed_attend");
    heed::with_error_kind(heed::ErrorKind::usage, [&] {
      heed::api::check(given);
      heed::api::attend_to(given, output, weights);
    });
  });
}
