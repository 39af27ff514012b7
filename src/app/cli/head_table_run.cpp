#include "heed/app/cli/head_table_run.h"

#include <limits>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/line_stream.h"
#include "heed/base/error_place.h"
#include "heed/base/files.h"
#include "heed/base/quantity_text.h"
#include "heed/base/workers.h"
#include "heed/decoding/folder_translator.h"
#include "heed/decoding/head_table.h"
#include "heed/decoding/translator.h"
#include "heed/folders/alignment_choice.h"
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
  for (std::string line; lines.next(line);)
    gold.push_back(with_place(fmt::format("{}: line {}", lines.name(), gold.size() + 1),
                              [&] { return parse_gold_links(line, files.first_word); }));
  require(gold.size() == pairs, "{}: has {} lines, but there are {} pairs", lines.name(),
          gold.size(), pairs);
  return gold;
}

// The translations that the model finds.
std::vector<std::string> translations(const Model& model, const ModelFolder& folder,
                                      const ViewOptions& options,
                                      const std::vector<std::string>& source) {
  const TranslatorOptions own =
      options_for(folder, {.threads = core_count(), .tag = options.tag}, "the model");
  const Translator translator(model.prepare(own.precision), folder.source, folder.target, own);
  return translator.translate(source, search_for(options, own.search));
}

// Lines of a file that were asked for, or what the model says.
std::vector<std::string> targets(const Model& model, const ModelFolder& folder,
                                 const ViewOptions& options, const std::vector<std::string>& source,
                                 const HeadTableFiles& files, const Console& console) {
  if (files.target.empty()) return translations(model, folder, options, source);
  TextLines lines = open_lines(console, files.target, files.forced);
  std::vector<std::string> target = all_lines(lines);
  require(source.size() == target.size(), "standard input has {}, but {} has {}",
          counted(std::ssize(source), "line"), lines.name(), target.size());
  return target;
}

std::vector<std::string> source_lines(const HeadTableFiles& files, const Console& console) {
  TextLines file = open_lines(console, "-", files.forced);
  std::vector<std::string> lines = all_lines(file);
  require(!lines.empty(), "{}: has no lines", file.name());
  return lines;
}

void refuse_translations(const HeadTableFiles& files) {
  require(files.target.empty() && files.gold.empty(), ErrorKind::usage,
          "attention: this model reads one text, so there are no translations and no links to "
          "compare");
}

// Adds what the text costs without each head.
void add_ablation(const std::vector<double>& without, HeadTable& table) {
  for (size_t i = 0; i < without.size(); ++i)
    table.heads[i].ablation = without[i] - *table.cross_entropy;
}

HeadTable table_of_text(const Model& model, const ModelFolder& folder,
                        const std::vector<std::string>& lines, const HeadTableFiles& files,
                        Workers& workers) {
  refuse_translations(files);
  const PlainText text{folder.target, lines};
  HeadTable table = describe_heads(model, text, workers);
  if (files.ablate) add_ablation(ablate_heads(model, text, workers), table);
  return table;
}

HeadTable table_of_pairs(const Model& model, const ModelFolder& folder, const ViewOptions& options,
                         const std::vector<std::string>& source, std::span<const TagIds> tags,
                         const HeadTableFiles& files, Workers& workers, const Console& console) {
  const std::vector<GoldLinks> gold = read_gold(console, files, source.size());
  const std::vector<std::string> target = targets(model, folder, options, source, files, console);
  const ParallelText text{folder.source, folder.target, source, target, tags};
  HeadTable table = describe_heads(model, text, workers, {.gold = gold});
  if (files.ablate) add_ablation(ablate_heads(model, text, workers), table);
  return table;
}

// The head, or the mean of a layer's heads, with the lowest alignment error rate; heads first, and
// the first of equals.
AttentionChoice best_aligner(const HeadTable& table) {
  AttentionChoice best;
  double lowest = std::numeric_limits<double>::infinity();
  for (const DescribedHead& head : table.heads) {
    if (!head.alignment || head.alignment->error_rate() >= lowest) continue;
    lowest = head.alignment->error_rate();
    best = {.layer = static_cast<int>(head.name.layer), .head = static_cast<int>(head.name.head)};
  }
  for (size_t layer = 0; layer < table.layers.size(); ++layer) {
    if (table.layers[layer].error_rate() >= lowest) continue;
    lowest = table.layers[layer].error_rate();
    best = {.layer = static_cast<int>(layer) + 1, .head = 0};
  }
  return best;
}

void keep_best_aligner(const HeadTable& table, const std::string& folder, const Console& console) {
  const AttentionChoice best = best_aligner(table);
  save_alignment_choice(folder, best);
  console.err << fmt::format("{}: aligns words by {} from now on\n", folder,
                             best.head > 0
                                 ? fmt::format("head {} of layer {}", best.head, best.layer)
                                 : fmt::format("the mean of layer {}", best.layer));
}

// `counted` is what the table is over, such as "5 pairs".
void write_table(const HeadTable& table, const std::string& counted, const HeadTableFiles& files,
                 const Console& console) {
  const std::string title = fmt::format("What each head does over {}", counted);
  const std::string picture = files.svg.empty() ? "" : head_table_svg(table, title),
                    json = files.json.empty() ? "" : head_table_json(table) + "\n";
  const InterruptsWait until_files_are_complete;
  if (!files.svg.empty()) write_file_atomically(files.svg, picture);
  if (files.json == "-")
    console.out << json;
  else if (!files.json.empty())
    write_file_atomically(files.json, json);
  if (files.svg.empty() && files.json.empty()) console.out << head_table_text(table);
  if (table.cross_entropy)
    console.err << fmt::format("{}: cross-entropy {:.4f} per token ({} tokens)\n", counted,
                               *table.cross_entropy, table.tokens);
  else
    console.err << fmt::format(
        "{}: {} tokens; the model predicts nothing, so no head has an importance\n", counted,
        table.tokens);
}

}  // namespace

void write_head_table(const ModelFolder& folder, const ViewOptions& options,
                      const HeadTableFiles& files, const Console& console) {
  const std::unique_ptr<Model> model = without_heads(*folder.model, options.without);
  const std::vector<TagIds> tags = {tags_of(folder).ids_of(options.tag)};
  const std::vector<std::string> lines = source_lines(files, console);
  Workers workers(core_count());
  if (model->head_counts().is_decoder_alone())
    write_table(table_of_text(*model, folder, lines, files, workers),
                counted(std::ssize(lines), "line"), files, console);
  else {
    const HeadTable table =
        table_of_pairs(*model, folder, options, lines, tags, files, workers, console);
    write_table(table, counted(std::ssize(lines), "pair"), files, console);
    if (!files.keep_in.empty()) keep_best_aligner(table, files.keep_in, console);
  }
}

void write_head_table(const BertFolder& folder, const ViewOptions& options,
                      const HeadTableFiles& files, const Console& console) {
  refuse_translations(files);
  require(!files.ablate, ErrorKind::usage,
          "attention: an encoder alone predicts nothing, so --ablate has nothing to compare");
  const std::unique_ptr<EncodingModel> model =
      folder.model->with_gates(switched_off(options.without));
  const std::vector<std::string> lines = source_lines(files, console);
  Workers workers(core_count());
  write_table(describe_heads(*model, WordPieceText{folder.pieces, lines}, workers),
              counted(std::ssize(lines), "line"), files, console);
}

}  // namespace heed
