// Self-attention over a sentence: each word attends to itself and to the words before it. The
// embeddings are random, so the picture shows the mask and the softmax; a trained model shows more.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "heed/heed.h"

int main() {
  using namespace heed;
  const std::vector<std::string> words = {"The", "law", "will", "never", "be", "perfect"};
  Rng rng(3);
  const int64_t width = 32;
  Embedding embedding(static_cast<int64_t>(words.size()), width, rng);
  MultiHeadAttention attention({.width = width, .heads = 4}, rng);

  Tape tape({.record = false});
  const std::vector<int32_t> ids = {0, 1, 2, 3, 4, 5};
  const Ragged one_sentence({static_cast<int64_t>(words.size())});
  const Variable tokens =
      add_positions(embedding(tape, ids), one_sentence,
                    tape.constant(sinusoidal_positions(one_sentence.tokens(), width)));
  const Attended attended = attention({.queries = tokens,
                                       .query_layout = one_sentence,
                                       .mask = {.causal = true},
                                       .want_weights = true});

  HeatMapFigure figure = heat_map_figure("causal self-attention", attended.weights);
  for (HeatMap& map : figure.maps) map.query_labels = map.key_labels = words;
  fmt::print("{}", draw_for_terminal(figure, {}));
}
