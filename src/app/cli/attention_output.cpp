#include "heed/app/cli/attention_output.h"

#include <fmt/format.h>

#include <utility>

#include "heed/app/cli/interrupt.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/runs/attention_text.h"
#include "heed/visualisation/heat_map_terminal.h"

namespace heed {

namespace {

HeadTable table_of(const AttentionView& view, const HeadCounts& counts) {
  RecordedHeads heads(counts);
  heads.add(view.recording);
  return heads.table();
}

// What was read and predicted, a line each.
std::string texts_of(const AttentionView& view) {
  std::string lines = view.is_pair()
                          ? fmt::format("Source: {}\nTarget: {}\n", printable(view.source.text),
                                        printable(view.target.text))
                          : fmt::format("Text: {}\n", printable(view.line().text));
  if (view.is_prediction()) lines += fmt::format("Log-probability: {:.4g}\n", view.log_probability);
  return lines;
}

// Which other heads to look at.
std::string hint(const HeadTable& heads, const HeadName& shown) {
  std::string list;
  for (const DescribedHead& head : heads_worth_a_look(heads, shown))
    list +=
        fmt::format("{}{} ({})", list.empty() ? "" : ", ", name_of(head.name), name_of(head.role));
  if (list.empty()) return "No other head has a role that stands out.\n";
  return fmt::format("Worth a look: {}.\n", list);
}

}  // namespace

AttentionOutputs::AttentionOutputs(WantedOutputs wanted, const HeadCounts& counts,
                                   const Console& console)
    : wanted_(std::move(wanted)), counts_(counts), console_(console), heads_(counts) {
  if (!wanted_.json.empty() && wanted_.json != "-") json_.emplace(wanted_.json);
}

void AttentionOutputs::add(const std::vector<AttentionView>& views) {
  const AttentionView& best = views.front();
  const HeadTable heads = table_of(best, counts_);
  if (!wanted_.json.empty()) {
    std::ostream& out = json_ ? *json_ : console_.out;
    const HeadName shown = clearest_head(best, counts_, wanted_.choice);
    out << attention_json(best, heads, shown) << '\n' << std::flush;
  }
  if (best.source.has_no_words() && best.target.has_no_words()) {
    ++empty_lines_;
    return;
  }
  ++lines_;
  if (!wanted_.html.empty()) add_to_page(views);
  if (!wanted_.svg.empty()) {
    require(lines_ == 1, "--svg draws one line, but standard input has several");
    picture_ = attention_svg(best, heads, counts_, wanted_.choice, wanted_.unit);
  }
  if (wanted_.json.empty() && wanted_.html.empty() && wanted_.svg.empty()) draw(best, heads);
}

void AttentionOutputs::draw(const AttentionView& view, const HeadTable& heads) {
  const HeadName head = clearest_head(view, counts_, wanted_.choice);
  HeatMap map = head_map(view, head, wanted_.unit);
  map.title.clear();
  TerminalStyle style = console_.style;
  style.query_axis = axis_names(view, head.part).queries;
  style.key_axis = axis_names(view, head.part).keys;
  if (lines_ > 1) console_.out << '\n';
  console_.out << texts_of(view) << '\n'
               << draw_for_terminal({title_with_role(head, heads), {map}}, style)
               << hint(heads, head) << std::flush;
}

void AttentionOutputs::add_to_page(const std::vector<AttentionView>& views) {
  const AttentionView& best = views.front();
  if (!first_) first_ = clearest_head(best, counts_, wanted_.choice);
  if (page_has_only_weights(best))
    console_.err << fmt::format("heed: line {} is long, so the page has its weights only\n",
                                lines_ + empty_lines_);
  heads_.add(best.recording);
  for (PageSentence& sentence : page_sentences(views, sentences_.size()))
    sentences_.push_back(std::move(sentence));
}

AttentionPage AttentionOutputs::page() const {
  const HeadTable heads = heads_.table();
  AttentionPage page{.title = wanted_.title,
                     .first = page_head(*first_),
                     .pieces_first = wanted_.unit == TokenUnit::pieces,
                     .columns = figure_columns(heads),
                     .rows = page_rows(heads),
                     .sentences = sentences_};
  for (const HeadName& head : wanted_.without) page.off.push_back(page_head(head));
  return page;
}

void AttentionOutputs::finish() {
  const bool only_json = !wanted_.json.empty() && wanted_.html.empty() && wanted_.svg.empty();
  if (empty_lines_ > 0 && !only_json) {
    require(lines_ > 0, "standard input: has only empty lines, so there is nothing to look at");
    console_.err << fmt::format("heed: {} empty line{} left out\n", empty_lines_,
                                empty_lines_ == 1 ? " was" : "s were");
  }
  const std::string html = wanted_.html.empty() ? "" : draw_as_page(page());
  const InterruptsWait until_files_are_complete;
  if (json_) json_->commit();
  if (!wanted_.html.empty()) write_file_atomically(wanted_.html, html);
  if (!wanted_.svg.empty()) write_file_atomically(wanted_.svg, picture_);
}

}  // namespace heed
