#include "heed/app/cli/over_time_run.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/output_stream.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/runs/attention_over_time.h"

namespace heed {

namespace {

void say_what_is_left_out(const AttentionHistory& history, size_t most, const std::string& file,
                          const Console& console) {
  const size_t steps = history.steps().size();
  if (!file.empty() && steps > most)
    console.err << fmt::format("heed: {} steps were watched; {} shows {} of them, evenly spread\n",
                               steps, printable(file), most);
}

}  // namespace

void show_over_time(const WantedHistory& wanted, const Console& console) {
  const AttentionHistory history(wanted.model, wanted.source);
  const WatchedStep last = history.last();
  chosen_part(wanted.choice, last.head_counts());

  std::optional<OutputStream> json;
  if (!wanted.json.empty() && wanted.json != "-") json.emplace(wanted.json);
  if (!wanted.json.empty())
    for (const int64_t step : history.steps())
      (json ? *json : console.out)
          << over_time_json(history.load(step), wanted.choice) << std::flush;
  const std::string picture =
      wanted.svg.empty() ? "" : over_time_svg(history, wanted.choice, wanted.unit);
  const std::string page =
      wanted.html.empty() ? "" : draw_as_page(over_time_page(history, wanted.title, wanted.choice));
  const InterruptsWait until_files_are_complete;
  if (json) json->commit();
  if (!wanted.svg.empty()) write_file_atomically(wanted.svg, picture);
  if (!wanted.html.empty()) write_file_atomically(wanted.html, page);
  if (wanted.svg.empty() && wanted.html.empty() && wanted.json.empty())
    console.out << over_time_text(history);
  say_what_is_left_out(history, most_steps_on_a_page, wanted.html, console);
  say_what_is_left_out(history, most_steps_in_a_picture, wanted.svg, console);
  if (!wanted.svg.empty() && last.sentences.size() > 1)
    console.err << fmt::format(
        "heed: {} sentences were watched; {} shows the first, and --source chooses another\n",
        last.sentences.size(), printable(wanted.svg));
}

}  // namespace heed
