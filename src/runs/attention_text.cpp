#include "heed/runs/attention_text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numbers>

#include "heed/base/json.h"
#include "heed/visualisation/table_svg.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

std::string text_of_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const ViewedTokens& tokens) {
  return json_object<Json>(
      {{"text", tokens.text}, {"pieces", tokens.pieces}, {"words", tokens.words}});
}

Json json_of(const HeadName& name) {
  return json_object<Json>(
      {{"part", std::string(name_of(name.part))}, {"layer", name.layer}, {"head", name.head}});
}

Json json_of(const PageRow& row) {
  Json figures = Json::object();
  for (const auto& [name, value] : row.figures) figures[name] = value;
  return json_object<Json>({{"part", row.head.part},
                            {"layer", row.head.layer},
                            {"head", row.head.head},
                            {"role", row.role},
                            {"figures", std::move(figures)}});
}

Json json_of(const std::vector<PageRow>& rows) {
  Json json = Json::array();
  for (const PageRow& row : rows) json.push_back(json_of(row));
  return json;
}

// Wide enough for numbers of three decimals.
std::string short_name(const PageColumn& column) {
  return fmt::format("{:>6}", column.key == "relative importance" ? "Relative" : column.name);
}

// The numbers of an array, nested like its axes. fmt writes the shortest text that reads back as
// the same float.
void append_array(const Tensor& values, std::string& out) {
  const Shape& shape = values.shape();
  const auto open_before = [&](int64_t element) {
    for (int64_t axis = shape.rank() - 1, block = 1; axis >= 0; --axis) {
      block *= shape[static_cast<int>(axis)];
      if (element % block != 0) break;
      out += '[';
    }
  };
  const auto close_after = [&](int64_t element) {
    for (int64_t axis = shape.rank() - 1, block = 1; axis >= 0; --axis) {
      block *= shape[static_cast<int>(axis)];
      if ((element + 1) % block != 0) break;
      out += ']';
    }
  };
  const std::span<const float> numbers = values.span<float>();
  for (int64_t element = 0; element < values.elements(); ++element) {
    if (element > 0) out += ',';
    open_before(element);
    fmt::format_to(std::back_inserter(out), "{}", numbers[static_cast<size_t>(element)]);
    close_after(element);
  }
}

constexpr std::array place_names = {"previous", "next", "self", "first", "end", "rare"};

PageTokens page_tokens(std::string name, const ViewedTokens& tokens, bool with_text) {
  return {.name = std::move(name),
          .text = with_text ? tokens.text : std::string(),
          .pieces = tokens.pieces,
          .words = tokens.words,
          .continuation = tokens.continuation};
}

// The lists that the model has: only pairs have a source and a target.
std::vector<PageTokens> page_tokens(const AttentionView& view) {
  std::vector<PageTokens> lists = {page_tokens("source", view.source, true),
                                   page_tokens("target", view.target, true),
                                   page_tokens("read", view.read, false)};
  std::erase_if(lists, [](const PageTokens& tokens) { return tokens.pieces.empty(); });
  if (!view.is_pair()) lists.front().title = "Text";
  return lists;
}

PageSentence page_sentence(const AttentionView& view) {
  PageSentence sentence{.name = view.line().text, .tokens = page_tokens(view), .parts = {}};
  if (view.is_prediction()) sentence.score = view.score();
  const bool only_weights = page_has_only_weights(view);
  for (const AttentionPart part : all_attention_parts) {
    const RecordedPart& recorded = view.recording.part(part);
    if (!recorded.weights.present()) continue;
    sentence.parts.push_back(page_part(std::string(name_of(part)),
                                       part == AttentionPart::encoder ? "source" : "target",
                                       part == AttentionPart::decoder ? "read" : "source",
                                       only_weights ? PageArrays{.weights = recorded.weights}
                                                    : PageArrays{.weights = recorded.weights,
                                                                 .norms = recorded.norms,
                                                                 .gradients = recorded.gradients},
                                       part == AttentionPart::decoder));
  }
  return sentence;
}

}  // namespace

std::vector<std::pair<std::string, double>> named_figures(const DescribedHead& head) {
  const HeadFigures& figures = head.figures;
  std::vector<std::pair<std::string, double>> named;
  if (head.alignment) {
    named.emplace_back("aer", head.alignment->error_rate());
    named.emplace_back("precision", head.alignment->precision());
    named.emplace_back("recall", head.alignment->recall());
  }
  named.emplace_back("entropy", figures.entropy / std::numbers::ln2);
  named.emplace_back("confidence", figures.confidence);
  named.emplace_back("distance", figures.distance);
  for (const KeyPlace place : all_key_places)
    if (const std::optional<HeadFigures::Share>& share = figures.share(place))
      named.emplace_back(place_names[static_cast<size_t>(place)], share->weight);
  named.emplace_back("coverage", figures.coverage);
  if (head.importance) named.emplace_back("importance", *head.importance);
  if (head.relative_importance)
    named.emplace_back("relative importance", *head.relative_importance);
  if (head.ablation) named.emplace_back("ablation", *head.ablation);
  return named;
}

std::vector<PageColumn> figure_columns(const HeadTable& table) {
  return figure_columns(page_rows(table));
}

std::vector<PageColumn> figure_columns(const std::vector<PageRow>& rows) {
  const std::vector<PageColumn> all = {
      {"aer", "AER", "Alignment error rate: 0 if all links are right.", "low"},
      {"precision", "Precision", "The share of its links that are possible ones.", "high"},
      {"recall", "Recall", "The share of the sure links that it finds.", "high"},
      {"entropy", "Entropy",
       "How widely a row is spread, in bits: 0 when one key has all the weight.", ""},
      {"confidence", "Confidence", "The mean of the largest weight of each row.", "high"},
      {"distance", "Distance",
       "The mean distance, in tokens, between a query and what it attends to.", ""},
      {"previous", "Previous", "The share of the weight on the previous token.", ""},
      {"next", "Next", "The share of the weight on the next token.", ""},
      {"self", "Self", "The share of the weight on the token at the same place.", ""},
      {"first", "First", "The share of the weight on the first token.", ""},
      {"end", "End", "The share of the weight on the end of the sentence.", ""},
      {"rare", "Rare", "The share of the weight on the rarest token.", ""},
      {"coverage", "Coverage", "How much of the keys is some row's largest weight.", ""},
      {"importance", "Importance",
       "How much the cross-entropy per token changes with the head's gate.", "high"},
      {"relative importance", "Relative importance",
       "The importance among the heads of its layer: the squares of a layer add up to 1.", "high"},
      {"ablation", "Ablation", "What the cross-entropy per token grows by without the head.",
       "high"},
  };
  std::vector<PageColumn> columns;
  for (const PageColumn& column : all) {
    const bool has = std::ranges::any_of(rows, [&](const PageRow& row) {
      return std::ranges::any_of(row.figures,
                                 [&](const auto& figure) { return figure.first == column.key; });
    });
    if (has) columns.push_back(column);
  }
  return columns;
}

std::string head_table_json(const HeadTable& table) {
  Json json = json_object<Json>({{"tokens", table.tokens}});
  if (table.cross_entropy) json["cross-entropy"] = *table.cross_entropy;
  json["heads"] = json_of(page_rows(table));
  if (table.layers.empty()) return text_of_json(json);
  json["layers"] = Json::array();
  for (const AlignmentCounts& counts : table.layers)
    json["layers"].push_back(json_object<Json>({{"part", "cross"},
                                                {"layer", json["layers"].size() + 1},
                                                {"aer", counts.error_rate()},
                                                {"precision", counts.precision()},
                                                {"recall", counts.recall()}}));
  return text_of_json(json);
}

namespace {

// A head's figure of each column; nothing where it has none.
std::vector<std::optional<double>> figures_in(const std::vector<PageColumn>& columns,
                                              const DescribedHead& head) {
  const std::vector<std::pair<std::string, double>> figures = named_figures(head);
  std::vector<std::optional<double>> found;
  for (const PageColumn& column : columns) {
    const auto figure =
        std::ranges::find(figures, column.key, [](const auto& f) { return f.first; });
    found.push_back(figure == figures.end() ? std::nullopt : std::optional(figure->second));
  }
  return found;
}

}  // namespace

std::string head_table_text(const HeadTable& table) {
  const std::vector<PageColumn> columns = figure_columns(table);
  std::string out = fmt::format("{:<14}{:<18}", "Head", "Role");
  for (const PageColumn& column : columns) out += " " + short_name(column);
  out += '\n';
  for (const DescribedHead& head : table.heads) {
    out += fmt::format("{:<14}{:<18}", name_of(head.name), name_of(head.role));
    const std::vector<std::optional<double>> figures = figures_in(columns, head);
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string number = figures[i] ? fmt::format("{:.3f}", *figures[i]) : "-";
      out += fmt::format(" {:>{}}", number, short_name(columns[i]).size());
    }
    out += '\n';
  }
  for (size_t layer = 0; layer < table.layers.size(); ++layer)
    out += fmt::format("Mean of the heads of cross-attention, layer {}: AER {:.3f}\n", layer + 1,
                       table.layers[layer].error_rate());
  return out;
}

std::string head_table_svg(const HeadTable& table, const std::string& title) {
  SvgTable svg{.title = title, .text_columns = {"Head", "Role"}, .columns = {}, .rows = {}};
  const std::vector<PageColumn> columns = figure_columns(table);
  for (const PageColumn& column : columns)
    svg.columns.push_back({.name = column.name, .help = column.help});
  for (const DescribedHead& head : table.heads) {
    svg.rows.push_back({.group = fmt::format("{} {}", name_of(head.name.part), head.name.layer),
                        .texts = {name_of(head.name), std::string(name_of(head.role))},
                        .numbers = figures_in(columns, head)});
  }
  return draw_table(svg);
}

std::string heads_json(const std::vector<PageRow>& rows) { return text_of_json(json_of(rows)); }

std::string attention_json(const AttentionView& view, const HeadTable& heads,
                           const HeadName& shown) {
  return attention_json(view, heads_json(page_rows(heads)), shown);
}

std::string attention_json(const AttentionView& view, std::string_view heads,
                           const HeadName& shown) {
  std::string out = "{";
  if (!view.source.pieces.empty())
    out += fmt::format(R"("source":{},)", text_of_json(json_of(view.source)));
  if (view.is_prediction())
    out += fmt::format(R"("target":{},"score":{},"log-probability":{},)",
                       text_of_json(json_of(view.target)), view.score(), view.log_probability);
  out += fmt::format(R"("shown":{},"attention":{{)", text_of_json(json_of(shown)));
  for (const AttentionPart part : all_attention_parts) {
    if (!out.ends_with('{')) out += ',';
    out += fmt::format("\"{}\":", name_of(part));
    const Tensor& weights = view.recording.part(part).weights;
    if (weights.present())
      append_array(weights, out);
    else
      out += "[]";
  }
  return fmt::format("{}}},\"heads\":{}}}", out, heads);
}

PageHead page_head(const HeadName& head) {
  return {.part = std::string(name_of(head.part)), .layer = head.layer, .head = head.head};
}

std::vector<PageRow> page_rows(const HeadTable& heads) {
  std::vector<PageRow> rows;
  for (const DescribedHead& head : heads.heads)
    rows.push_back({.head = page_head(head.name),
                    .role = std::string(name_of(head.role)),
                    .figures = named_figures(head)});
  return rows;
}

bool page_has_only_weights(const AttentionView& view) {
  constexpr int64_t most_values = int64_t{1} << 22;
  int64_t values = 0;
  for (const RecordedPart& part : view.recording.parts) values += part.weights.elements();
  return values > most_values;
}

std::vector<PageSentence> page_sentences(const std::vector<AttentionView>& views, size_t place) {
  std::vector<PageSentence> sentences;
  for (const AttentionView& view : views) {
    const size_t own = place + sentences.size();
    sentences.push_back(page_sentence(view));
    if (own == place) continue;
    sentences.back().of = place;
    sentences.front().alternatives.push_back(
        {.text = view.target.text, .score = view.score(), .sentence = own});
  }
  return sentences;
}

}  // namespace heed
