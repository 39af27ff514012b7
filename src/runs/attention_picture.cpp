#include "heed/runs/attention_picture.h"

#include <algorithm>
#include <map>

#include "heed/attention/word_weights.h"
#include "heed/base/error.h"
#include "heed/visualisation/head_grid_svg.h"

namespace heed {

namespace {

double clarity(const AttentionView& view, const HeadName& name) {
  const Tensor weights = view.recording.part(name.part).weights_of(name);
  const std::vector<int64_t>&query_words = view.queries(name.part).words,
        &key_words = view.keys(name.part).words;
  double sum = 0;
  int64_t rows = 0;
  for (size_t query = 0; query < query_words.size(); ++query) {
    if (query_words[query] < 0) continue;
    const std::span<const float> row = weights.row<float>(static_cast<int64_t>(query));
    float largest = 0;
    for (size_t key = 0; key < key_words.size(); ++key)
      if (key_words[key] >= 0) largest = std::max(largest, row[key]);
    sum += largest;
    ++rows;
  }
  const double coverage =
      figures_of(sum_head(weights.matrix<float>(), {.part = name.part})).coverage;
  return rows == 0 ? 0 : sum / static_cast<double>(rows) * coverage;
}

// Special tokens are units of their own, so that what goes there is seen.
struct Units {
  std::vector<int64_t> of_piece;
  std::vector<std::string> labels;
};

// SentencePiece writes ▁ for a space: at the beginning of a word it says nothing.
std::string word_label(std::string_view pieces) {
  constexpr std::string_view mark = "\xE2\x96\x81";
  std::string label(pieces);
  for (size_t at = 0; (at = label.find(mark, at)) != std::string::npos;)
    label.replace(at, mark.size(), " ");
  const size_t first = label.find_first_not_of(' ');
  return first == std::string::npos ? std::string(pieces) : label.substr(first);
}

Units units_of(const ViewedTokens& tokens, TokenUnit unit) {
  Units units;
  for (size_t i = 0; i < tokens.pieces.size(); ++i) {
    const bool continues = unit == TokenUnit::words && i > 0 && tokens.words[i] >= 0 &&
                           tokens.words[i] == tokens.words[i - 1];
    const std::string& piece = tokens.pieces[i];
    if (continues)
      units.labels.back() +=
          piece.starts_with(tokens.continuation) ? piece.substr(tokens.continuation.size()) : piece;
    else
      units.labels.push_back(piece);
    units.of_piece.push_back(static_cast<int64_t>(units.labels.size()) - 1);
  }
  if (unit == TokenUnit::words)
    for (std::string& label : units.labels) label = word_label(label);
  return units;
}

}  // namespace

AttentionPart main_part(const HeadCounts& counts) {
  if (counts.is_encoder_alone()) return AttentionPart::encoder;
  return counts.is_decoder_alone() ? AttentionPart::decoder : AttentionPart::cross;
}

AttentionPart chosen_part(const HeadChoice& choice, const HeadCounts& counts) {
  const AttentionPart part = choice.part.value_or(main_part(counts));
  const int64_t layers = counts.layers(part);
  require(layers > 0, ErrorKind::usage, "attention: this model has no attention in its {} part",
          name_of(part));
  require(!choice.layer || (*choice.layer >= 1 && *choice.layer <= layers), ErrorKind::usage,
          "attention: layer {} of the {} part, but it has {}", choice.layer.value_or(0),
          name_of(part), layers);
  require(!choice.head || (*choice.head >= 1 && *choice.head <= counts.heads), ErrorKind::usage,
          "attention: head {} of a layer, but each has {}", choice.head.value_or(0), counts.heads);
  return part;
}

HeadName clearest_head(const AttentionView& view, const HeadCounts& counts,
                       const HeadChoice& choice) {
  const AttentionPart part = chosen_part(choice, counts);
  std::optional<HeadName> best;
  double most = -1;
  for (const HeadName& name : all_heads(counts)) {
    if (name.part != part || name.layer != choice.layer.value_or(name.layer) ||
        name.head != choice.head.value_or(name.head))
      continue;
    const double found = clarity(view, name);
    if (found > most) best = name, most = found;
  }
  return *best;
}

std::string title_of(const HeadName& head) {
  std::string part(name_of(head.part));
  part.front() = static_cast<char>(part.front() - 'a' + 'A');
  const std::string_view self =
      head.part == AttentionPart::cross ? "-attention" : " self-attention";
  return fmt::format("{}{}, layer {}, head {}", part, self, head.layer, head.head);
}

std::string title_with_role(const HeadName& head, const HeadTable& table) {
  for (const DescribedHead& described : table.heads)
    if (described.name == head)
      return fmt::format("{}: {}", title_of(head), name_of(described.role));
  return title_of(head);
}

AxisNames axis_names(const AttentionView& view, AttentionPart part) {
  switch (part) {
    case AttentionPart::encoder:
      if (!view.is_pair()) return {"Text", "Text"};
      return {"Source", "Source"};
    case AttentionPart::decoder:
      if (!view.is_pair()) return {"Text", "Text read so far"};
      return {"Target", "Target read so far"};
    case AttentionPart::cross:
      return {"Target", "Source"};
  }
  __builtin_unreachable();
}

HeatMap head_map(const AttentionView& view, const HeadName& head, TokenUnit unit) {
  const Units queries = units_of(view.queries(head.part), unit),
              keys = units_of(view.keys(head.part), unit);
  return {title_of(head),
          word_weights(view.recording.part(head.part).weights_of(head), queries.of_piece,
                       keys.of_piece),
          queries.labels, keys.labels};
}

std::string attention_svg(const AttentionView& view, const HeadTable& table,
                          const HeadCounts& counts, const HeadChoice& choice, TokenUnit unit) {
  const int64_t layers = counts.layers(chosen_part(choice, counts));
  const HeadName shown = clearest_head(view, counts, choice);
  HeatMap map = head_map(view, shown, unit);
  map.title.clear();
  const HeatMapFigure figure{title_with_role(shown, table), {map}};
  SvgStyle style;
  style.query_axis = axis_names(view, shown.part).queries;
  style.key_axis = axis_names(view, shown.part).keys;
  if ((choice.layer && choice.head) || layers * counts.heads == 1)
    return draw_as_svg(figure, style);
  const auto named = [&](int64_t layer, int64_t head) {
    return HeadName{.part = shown.part, .layer = layer, .head = head};
  };
  return draw_head_grid(
      {.large = figure,
       .layers = layers,
       .heads = counts.heads,
       .weights = [&](int64_t layer,
                      int64_t head) { return head_map(view, named(layer, head), unit).weights; },
       .name = [&](int64_t layer,
                   int64_t head) { return title_with_role(named(layer, head), table); },
       .layer = shown.layer,
       .head = shown.head},
      style);
}

std::vector<DescribedHead> heads_worth_a_look(const HeadTable& table, const HeadName& shown,
                                              size_t most) {
  std::map<HeadRole, const DescribedHead*> best;
  for (const DescribedHead& head : table.heads) {
    if (head.role == HeadRole::mixed || head.name == shown) continue;
    const DescribedHead*& of_role = best.try_emplace(head.role, &head).first->second;
    if (head.figures.confidence > of_role->figures.confidence) of_role = &head;
  }
  std::vector<DescribedHead> found;
  for (const DescribedHead& head : table.heads) {
    const auto entry = best.find(head.role);
    if (entry != best.end() && entry->second == &head) found.push_back(head);
  }
  found.resize(std::min(found.size(), most));
  return found;
}

}  // namespace heed
