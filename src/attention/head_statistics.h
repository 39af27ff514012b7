// What a head does, in figures: how sharp its weights are, how far they reach and where they go.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heed/attention/head_name.h"
#include "heed/kernels/matrix_view.h"

namespace heed {

// What is known of the tokens of one sentence pair, as one attention sees them.
struct HeadTokens {
  AttentionPart part = AttentionPart::cross;
  // How often each key's token occurs in the text at hand; 0 for special tokens, which are never
  // called rare. None: no head is said to look for rare words.
  std::span<const int64_t> occurrences = {};
  bool ends = true;  // the last key is the sentence's end; never so in the decoder
};

// Where a row's weight may go. A row belongs to the token that is predicted; in the encoder, to the
// token itself. Positions are those of tokens in their sentence: the decoder's keys are one behind,
// since the start token is the first. So the decoder's previous key is the last token that was
// read, and it has no next one and not itself. In cross-attention, the previous, next and same key
// are those at the row's own position in the source, which says little about words.
enum class KeyPlace { previous, next, same, first, end, rare };

inline constexpr std::array all_key_places = {KeyPlace::previous, KeyPlace::next, KeyPlace::same,
                                              KeyPlace::first,    KeyPlace::end,  KeyPlace::rare};

// Sums over the rows of any number of sentences; of one row each, they are:
struct HeadSums {
  int64_t rows = 0;
  double entropy = 0;     // -Σ_k w_k ln w_k
  double confidence = 0;  // the largest weight
  double distance = 0;    // Σ_k w_k |position of key k - position of the row|

  struct Place {
    int64_t rows = 0;     // that have such a key
    double weight = 0;    // that goes there: to all such keys together
    int64_t largest = 0;  // rows whose largest weight, the first of equals, goes there
  };
  std::array<Place, all_key_places.size()> places = {};

  int64_t sentences = 0;
  double coverage = 0;  // of one sentence: the number of keys that are the largest of some row,
                        // divided by the smaller of the numbers of rows and keys

  HeadSums& operator+=(const HeadSums& other);
};

// weights (queries, keys): those of one head for one sentence pair.
HeadSums sum_head(kernels::MatrixView<const float> weights, const HeadTokens& tokens);

// The means. Nothing where there were no rows, or no such keys.
struct HeadFigures {
  double entropy = 0, confidence = 0, distance = 0, coverage = 0;
  struct Share {
    double weight = 0;   // of the weight, 0 to 1
    double largest = 0;  // of the rows whose largest weight goes there, 0 to 1
  };
  std::array<std::optional<Share>, all_key_places.size()> shares = {};

  const std::optional<Share>& share(KeyPlace place) const {
    return shares[static_cast<size_t>(place)];
  }
};

HeadFigures figures_of(const HeadSums& sums);

}  // namespace heed
