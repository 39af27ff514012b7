#include "heed/runs/attention_over_time.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/numbers.h"
#include "heed/base/text.h"
#include "heed/runs/attention_text.h"
#include "heed/visualisation/heat_map_svg.h"

namespace heed {

namespace {

std::string sources_of(const WatchedStep& step) {
  std::vector<std::string> quoted;
  for (const WatchedView& watched : step.sentences)
    quoted.push_back(quote(watched.view.source.text));
  return fmt::format("{}", fmt::join(quoted, ", "));
}

// A page has many steps, each with a figure for every head and column.
double short_number(double value) {
  return parse_number<double>(fmt::format("{:.5g}", value)).value_or(value);
}

std::vector<PageRow> with_short_numbers(std::vector<PageRow> rows) {
  for (PageRow& row : rows)
    for (auto& [name, value] : row.figures) value = short_number(value);
  return rows;
}

// The place of a sentence in the list of all; a new one goes to its end.
size_t place_of(const WatchedSentence& sentence, std::vector<WatchedSentence>& all) {
  const auto found =
      std::ranges::find_if(all, [&](const auto& each) { return each.is_same_as(sentence); });
  const auto place = static_cast<size_t>(found - all.begin());
  if (found == all.end()) all.push_back(sentence);
  return place;
}

PageStep page_step(const WatchedStep& step, std::vector<WatchedSentence>& all) {
  PageStep page{.step = step.step,
                .columns = figure_columns(step.heads),
                .rows = with_short_numbers(step.heads),
                .over = fmt::format("the first {} pairs of the validation set", step.pairs),
                .sentences = {}};
  for (const WatchedView& watched : step.sentences) {
    const size_t place = place_of(watched.sentence(), all);
    page.sentences.resize(std::max(page.sentences.size(), place + 1));
    page.sentences[place] = page_sentences({watched.view}, 0).front();
  }
  return page;
}

std::string role_in(const WatchedStep& step, const HeadName& name) {
  const PageHead head = page_head(name);
  for (const PageRow& row : step.heads)
    if (row.head.part == head.part && row.head.layer == head.layer && row.head.head == head.head)
      return row.role;
  return "";
}

// A role that a head had from a step on.
struct RoleSpan {
  std::string role;
  int64_t from = 0;
};

using RoleCourse = std::vector<RoleSpan>;

std::string before_text(const RoleCourse& course) {
  std::string text;
  for (size_t i = 0; i + 1 < course.size(); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", printable(course[i].role), course[i].from);
  return text;
}

}  // namespace

AttentionHistory::AttentionHistory(std::filesystem::path model, std::optional<std::string> source)
    : model_(std::move(model)), source_(std::move(source)), steps_(watched_steps(model_)) {
  require(std::filesystem::is_directory(model_), "{}: there is no such folder", model_.string());
  require(!steps_.empty(),
          "{}: no sentence was watched in training; heed train --watch keeps the attention of one",
          model_.string());
  if (!source_) return;
  const std::string known = sources_of(load_watched_step(model_, steps_.back()));
  std::erase_if(steps_, [&](int64_t step) { return load(step).sentences.empty(); });
  require(!steps_.empty(), "{}: {} was not watched in training, but {}", model_.string(),
          Quoted{*source_}, known);
}

WatchedStep AttentionHistory::load(int64_t step) const {
  WatchedStep loaded = load_watched_step(model_, step);
  if (source_)
    std::erase_if(loaded.sentences,
                  [&](const WatchedView& watched) { return watched.view.source.text != *source_; });
  return loaded;
}

std::vector<int64_t> spread_steps(const std::vector<int64_t>& steps, size_t most) {
  if (steps.size() <= most) return steps;
  std::vector<int64_t> spread;
  for (size_t i = 0; i < most; ++i) spread.push_back(steps[i * (steps.size() - 1) / (most - 1)]);
  return spread;
}

AttentionPage over_time_page(const AttentionHistory& history, const std::string& title,
                             const HeadChoice& choice) {
  const WatchedStep last = history.last();
  AttentionPage page{
      .title = title,
      .first = page_head(clearest_head(last.sentences.front().view, last.head_counts(), choice))};
  // Those of the last step come first, since the page begins there.
  std::vector<WatchedSentence> all;
  for (const WatchedView& watched : last.sentences) place_of(watched.sentence(), all);
  for (const int64_t step : spread_steps(history.steps(), most_steps_on_a_page))
    page.steps.push_back(page_step(history.load(step), all));
  for (PageStep& step : page.steps) step.sentences.resize(all.size());
  return page;
}

std::string over_time_svg(const AttentionHistory& history, const HeadChoice& choice,
                          TokenUnit unit) {
  const WatchedStep last = history.last();
  const WatchedView& first = last.sentences.front();
  const HeadName head = clearest_head(first.view, last.head_counts(), choice);
  HeatMapFigure figure{title_of(head), {}};
  for (const int64_t step : spread_steps(history.steps(), most_steps_in_a_picture)) {
    const WatchedStep seen = history.load(step);
    const auto same = std::ranges::find_if(seen.sentences, [&](const WatchedView& watched) {
      return watched.sentence().is_same_as(first.sentence());
    });
    if (same == seen.sentences.end()) continue;
    HeatMap map = head_map(same->view, head, unit);
    map.title = fmt::format("Step {}: {}", step, role_in(seen, head));
    figure.maps.push_back(std::move(map));
  }
  SvgStyle style;
  style.query_axis = axis_names(first.view, head.part).queries;
  style.key_axis = axis_names(first.view, head.part).keys;
  return draw_as_svg(figure, style);
}

std::string over_time_json(const WatchedStep& step, const HeadChoice& choice) {
  const std::string heads = heads_json(step.heads);
  std::string lines;
  for (const WatchedView& watched : step.sentences) {
    const HeadName shown = clearest_head(watched.view, step.head_counts(), choice);
    lines += fmt::format("{{\"step\":{},{}\n", step.step,
                         attention_json(watched.view, heads, shown).substr(1));
  }
  return lines;
}

std::string over_time_text(const AttentionHistory& history) {
  const std::vector<HeadName> names = all_heads(history.last().head_counts());
  std::vector<RoleCourse> courses(names.size());
  int64_t pairs = 0;
  for (const int64_t step : history.steps()) {
    const WatchedStep seen = history.load(step);
    pairs = seen.pairs;
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string role = role_in(seen, names[i]);
      if (courses[i].empty() || courses[i].back().role != role) courses[i].push_back({role, step});
    }
  }
  std::string out =
      fmt::format("{:<14}{:<18}{:>10}  {}\n", "Head", "Role", "Since step", "Before (from step)");
  for (size_t i = 0; i < names.size(); ++i) {
    const RoleCourse& course = courses[i];
    std::string line =
        fmt::format("{:<14}{:<18}{:>10}  {}", name_of(names[i]), printable(course.back().role),
                    course.back().from, before_text(course));
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out + fmt::format(
                   "{} steps, from {} to {}; over the first {} pairs of the validation "
                   "set.\n",
                   history.steps().size(), history.steps().front(), history.steps().back(), pairs);
}

}  // namespace heed
