#include "heed/app/cli/head_table_run.h"

#include <limits>

#include "heed/app/cli/line_stream.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/workers.h"
#include "heed/decoding/head_table.h"
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

}  // namespace

void write_head_table(const ModelFolder& folder, const std::vector<HeadName>& without,
                      const HeadTableFiles& files, const Console& console) {
  TextLines source_file = open_lines(console, "-", files.forced),
            target_file = open_lines(console, files.target, files.forced);
  const std::vector<std::string> source = all_lines(source_file), target = all_lines(target_file);
  require(source.size() == target.size(), "{} has {} lines, but {} has {}", source_file.name(),
          source.size(), target_file.name(), target.size());
  require(!source.empty(), "{}: has no lines", source_file.name());
  const std::vector<GoldLinks> gold = read_gold(console, files, source.size());

  std::vector<HeadGate> gates;
  for (const HeadName& head : without) gates.push_back({.head = head, .gate = 0.0});
  const std::unique_ptr<Model> model = folder.model->with_gates(gates);
  require(!all_heads(model->head_counts()).empty(), ErrorKind::model,
          "attention: this model has no attention to look at");
  Workers workers(core_count());
  const ParallelText text{folder.source, folder.target, source, target};
  HeadTable table = describe_heads(*model, text, workers, {.gold = gold});
  if (files.ablate) {
    const std::vector<double> ablated = ablate_heads(*model, text, workers);
    for (size_t i = 0; i < ablated.size(); ++i)
      table.heads[i].ablation = ablated[i] - table.cross_entropy;
  }
  if (files.json.empty())
    console.out << head_table_text(table);
  else if (files.json == "-")
    console.out << head_table_json(table) << '\n';
  else
    write_file_atomically(files.json, head_table_json(table) + "\n");
  console.err << fmt::format("{} pairs: cross-entropy {:.4f} per token ({} tokens)\n",
                             source.size(), table.cross_entropy, table.tokens);
}

}  // namespace heed
