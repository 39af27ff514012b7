// Which head to draw, and its weights as a heat map.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/decoding/head_table.h"
#include "heed/runs/attention_view.h"
#include "heed/visualisation/heat_map.h"

namespace heed {

// What somebody asked for. Layers and heads are counted from 1.
struct HeadChoice {
  std::optional<AttentionPart> part = {};
  std::optional<int64_t> layer = {}, head = {};
};

// The cross-attention, or the only attention of an encoder or a decoder alone.
AttentionPart main_part(const HeadCounts& counts);

// The part that was asked for, or the main one; an Error if the model has no such part, layer or
// head.
AttentionPart chosen_part(const HeadChoice& choice, const HeadCounts& counts);

// Of the heads that the choice leaves, the one that aligns best: whose tokens look most clearly at
// other tokens, over the whole of the sentence. That is the mean over the tokens of a sentence of
// the largest weight on a token, special ones left out, times the coverage (see HeadSums).
HeadName clearest_head(const AttentionView& view, const HeadCounts& counts,
                       const HeadChoice& choice);

// "Cross-attention, layer 2, head 3".
std::string title_of(const HeadName& head);
// "Cross-attention, layer 2, head 3: aligns".
std::string title_with_role(const HeadName& head, const HeadTable& table);

// What the rows and the columns of a part are.
struct AxisNames {
  std::string_view queries, keys;
};
AxisNames axis_names(const AttentionView& view, AttentionPart part);

enum class TokenUnit { words, pieces };

// One head's weights, special tokens included. Words: what the pieces of a key's word receive is
// added up, and what the pieces of a query's word give is averaged.
HeatMap head_map(const AttentionView& view, const HeadName& head, TokenUnit unit);

// A whole SVG document. With a layer and a head that were asked for, one map; otherwise all heads
// of the part, with the clearest of them large.
std::string attention_svg(const AttentionView& view, const HeadTable& table,
                          const HeadCounts& counts, const HeadChoice& choice, TokenUnit unit);

// The most confident head of each role but "mixed", other than the one that is shown; at most
// `most`, in the order of the table.
std::vector<DescribedHead> heads_worth_a_look(const HeadTable& table, const HeadName& shown,
                                              size_t most = 5);

}  // namespace heed
