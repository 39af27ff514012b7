#include "heed/app/cli/head_table_run.h"

#include <limits>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/line_stream.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/workers.h"
#include "heed/decoding/head_table.h"
#include "heed/decoding/translator.h"
#include "heed/runs/attention_text.h"

namespace heed {

namespace {

std::vector<std::string> all_lines(TextLines& lines) {
  return lines.next(std::numeric_limits<size_t>::max());
}

std::vector<GoldLinks> read_gold(const Console& console, const HeadTableFiles& files,
                                 size_t pairs) {
  std::vector<GoldLinks> gold;
  if (files.gold.empty()) return gold;
  TextLines lines = open_lines(console, files.gold, files.forced);
  for (std::string line; lines.next(line);) {
    try {
      gold.push_back(parse_gold_links(line, files.first_word));
    } catch (const Error& error) {
      fail("{}: line {}: {}", lines.name(), gold.size() + 1, error.what());
    }
  }
  require(gold.size() == pairs, "{}: has {} lines, but there are {} pairs", lines.name(),
          gold.size(), pairs);
  return gold;
}

// The translations that the model finds.
std::vector<std::string> translations(const Model& model, const ModelFolder& folder, int beam,
                                      const std::vector<std::string>& source) {
  const Precision precision =
      folder.storage == WeightStorage::int8 ? Precision::int8 : Precision::float32;
  const Translator translator(model.prepare(precision), folder.source, folder.target,
                              {.threads = core_count(), .lengths = folder.lengths});
  return translator.translate(source, {.beam = beam});
}

// Lines of a file that were asked for, or what the model says.
std::vector<std::string> targets(const Model& model, const ModelFolder& folder, int beam,
                                 const std::vector<std::string>& source,
                                 const HeadTableFiles& files, const Console& console) {
  if (files.target.empty()) return translations(model, folder, beam, source);
  TextLines lines = open_lines(console, files.target, files.forced);
  std::vector<std::string> target = all_lines(lines);
  require(source.size() == target.size(), "standard input has {} lines, but {} has {}",
          source.size(), lines.name(), target.size());
  return target;
}

void write_table(const HeadTable& table, const std::string& title, const HeadTableFiles& files,
                 const Console& console) {
  const std::string picture = files.svg.empty() ? "" : head_table_svg(table, title),
                    json = files.json.empty() ? "" : head_table_json(table) + "\n";
  const InterruptsWait until_files_are_complete;
  if (!files.svg.empty()) write_file_atomically(files.svg, picture);
  if (files.json == "-")
    console.out << json;
  else if (!files.json.empty())
    write_file_atomically(files.json, json);
  if (files.svg.empty() && files.json.empty()) console.out << head_table_text(table);
}

}  // namespace

void write_head_table(const ModelFolder& folder, const ViewOptions& options,
                      const HeadTableFiles& files, const Console& console) {
  const std::unique_ptr<Model> model = without_heads(*folder.model, options.without);
  TextLines source_file = open_lines(console, "-", files.forced);
  const std::vector<std::string> source = all_lines(source_file);
  require(!source.empty(), "{}: has no lines", source_file.name());
  const std::vector<GoldLinks> gold = read_gold(console, files, source.size());
  const std::vector<std::string> target =
      targets(*model, folder, options.beam, source, files, console);

  Workers workers(core_count());
  const ParallelText text{folder.source, folder.target, source, target};
  HeadTable table = describe_heads(*model, text, workers, {.gold = gold});
  if (files.ablate) {
    const std::vector<double> ablated = ablate_heads(*model, text, workers);
    for (size_t i = 0; i < ablated.size(); ++i)
      table.heads[i].ablation = ablated[i] - table.cross_entropy;
  }
  write_table(table, fmt::format("What each head does over {} pairs", source.size()), files,
              console);
  console.err << fmt::format("{} pairs: cross-entropy {:.4f} per token ({} tokens)\n",
                             source.size(), table.cross_entropy, table.tokens);
}

}  // namespace heed
