// Any bytes, as the input file of `heed attend`: they are either refused with an Error, or
// attention runs, gives finite numbers and weights that sum to 1 or 0, and can be drawn. The last
// byte chooses the options.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "heed/app/cli/attend.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/visualisation/heat_map_svg.h"
#include "heed/visualisation/heat_map_terminal.h"
#include "safetensors_mutator.h"

namespace {

heed::AttendOptions choose_options(uint8_t byte) {
  heed::AttendOptions options;
  options.score = static_cast<heed::ScoreKind>(byte % 6);
  const int mask = byte / 6 % 4;
  options.causal = mask & 1;
  if (mask & 2) options.window = 1;
  options.heads = byte / 24 % 3 + 1;
  options.want_weights = byte < 200;
  options.memory_limit = 1e7;
  return options;
}

void check_weights(const heed::Tensor& weights) {
  const int64_t keys = weights.shape()[-1];
  for (int64_t row = 0; row < weights.elements() / keys; ++row) {
    double sum = 0;
    for (int64_t key = 0; key < keys; ++key) sum += weights[row * keys + key];
    if (sum != 0 && std::abs(sum - 1) > 1e-3) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::AttendOptions options = choose_options(size == 0 ? 0 : data[size - 1]);
  try {
    const auto file = heed::TensorFile::parse(std::as_bytes(std::span(data, size)), "fuzzed");
    const heed::AttendInput input = heed::read_attend_input(file, options);
    const heed::AttendResult result = heed::run_attend(input, options, "fuzzed");
    if (!result.weights.present()) return 0;
    // Beyond that, float32 cannot tell scores apart whose exponentials differ.
    if (heed::score_bound(input, options.score) < 1e3) check_weights(result.weights);
    const heed::HeatMapFigure figure = heed::attend_figure(input, options, result);
    heed::draw_for_terminal(figure, {.width = 60, .max_maps = 2});
    heed::draw_as_svg(figure, {.max_cells = 256, .max_maps = 2});
  } catch (const heed::Error& error) {
    if (heed::printable(error.what()) != error.what()) std::abort();
  }
  return 0;
}
