// Additive and scaled dot-product attention over padded sequences: the first sequence has two keys,
// the second six, and the rest is padding that gets no weight. The keys are all equal, so every
// valid key gets the same weight.
#include <fmt/format.h>

#include <fstream>

#include "heed/heed.h"

using namespace heed;

namespace {

void show(const std::string& title, const Attended& attended) {
  fmt::print("{}: the outputs are", title);
  for (int64_t i = 0; i < attended.output.value().elements(); ++i)
    fmt::print(" {:.2f}", attended.output.value()[i]);
  fmt::print("\n");
  const HeatMapFigure figure = heat_map_figure(title, attended.weights);
  fmt::print("{}\n", draw_for_terminal(figure, {}));
  std::ofstream(title + ".svg") << draw_as_svg(figure);
}

}  // namespace

int main() {
  Rng rng(1);
  Tape tape({.record = false});
  const Variable keys = tape.constant(Tensor::full({2, 10, 2}, 1.0));
  Tensor numbers = Tensor::uninitialised({2, 10, 4});
  for (int64_t i = 0; i < numbers.elements(); ++i)
    numbers.data<float>()[i] = static_cast<float>(i % 40);
  const Variable values = tape.constant(numbers);
  const Mask valid{.valid_lengths = {2, 6}};

  // Queries and keys of different widths: 20 and 2.
  const ScoreLayer additive(ScoreKind::additive, {.query_width = 20, .key_width = 2, .hidden = 8},
                            rng);
  const Variable wide_queries = tape.constant(Initialiser(rng).normal({2, 1, 20}, 1.0));
  show("additive", attend({.queries = wide_queries,
                           .keys = keys,
                           .values = values,
                           .score = additive.on(tape),
                           .mask = valid,
                           .want_weights = true}));

  const Variable queries = tape.constant(Initialiser(rng).normal({2, 1, 2}, 1.0));
  show("scaled-dot", attend({.queries = queries,
                             .keys = keys,
                             .values = values,
                             .mask = valid,
                             .want_weights = true}));
}
