#include "heed/app/cli/score_command.h"

#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "heed/app/cli/adapter_flag.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/app/cli/tag_flag.h"
#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/quantity_text.h"
#include "heed/folders/adapter_file.h"

namespace heed {

namespace {

constexpr const char* score_example =
    R"(Writes the natural log-probability of each translation given its source. --words adds, after
a tab, the log-probabilities of its words and, last, of the end of the sentence. The perplexity of
all pairs goes to standard error. Scores are always computed in float32, even if the weights are
stored with fewer bits. Files may be compressed with gzip or zstd. A line with more tokens than
--max-length is an error.

  $ heed score --model en-de --source test.en --target test.de > test.scores

With a language model, each line of --text (default: standard input) is a text of its own, and ends
where the line does. --words then adds the log-probability of every token; with --json there are
also the tokens, in the numbers of the model's own tokenizer, the start token first.

  $ heed score --model stories --words --json < lines

With --document, the whole input is one text instead, of any length, with its line breaks and its
end: every token is scored given at least half of the model's context before it.

  $ heed score --model stories --document --text book.txt
)";

constexpr size_t lines_at_once = 2048;

bool is_language_model(const ModelFolder& folder) {
  return std::holds_alternative<LanguageModelConfig>(folder.config);
}

struct Totals {
  double log_probability = 0;
  int64_t pairs = 0, tokens = 0, words = 0;

  void add(const LineScore& score) {
    log_probability += score.log_probability;
    ++pairs;
    tokens += score.tokens;
    words += static_cast<int64_t>(score.words.size());
  }
  double perplexity(int64_t count) const {
    return std::exp(-log_probability / static_cast<double>(count));
  }
};

std::string text_of_score(const LineScore& score, bool words, bool json) {
  if (json) {
    auto object = json_object<OrderedJsonValue>(
        {{"log-probability", score.log_probability}, {"tokens", score.tokens}});
    if (words) object["words"] = score.words;
    return object.dump();
  }
  std::string text = fmt::format("{:.6g}", score.log_probability);
  for (size_t i = 0; words && i < score.words.size(); ++i)
    text += fmt::format("{}{:.4g}", i == 0 ? "\t" : " ", score.words[i]);
  return text;
}

std::string text_of_score(const TextScore& score, const Vocabulary& vocabulary, bool words,
                          bool json) {
  const double sum = std::accumulate(score.tokens.begin(), score.tokens.end(), 0.0);
  if (!json) {
    std::string text = fmt::format("{:.6g}", sum);
    for (size_t i = 0; words && i < score.tokens.size(); ++i)
      text += fmt::format("{}{:.4g}", i == 0 ? "\t" : " ", score.tokens[i]);
    return text;
  }
  auto object =
      json_object<OrderedJsonValue>({{"log-probability", sum}, {"tokens", score.tokens.size()}});
  if (words) {
    std::vector<int32_t> ids = {vocabulary.model_id(vocabulary.start())};
    for (const int32_t id : score.ids) ids.push_back(vocabulary.model_id(id));
    object["ids"] = ids;
    object["log-probabilities"] = score.tokens;
  }
  return object.dump();
}

void report_broken(const Console& console, const TextLines& lines) {
  if (lines.counts().not_utf8 > 0)
    console.err << fmt::format(
        "heed: {}: {} of {} lines were not UTF-8; invalid bytes became U+FFFD\n", lines.name(),
        lines.counts().not_utf8, lines.counts().lines);
}

}  // namespace

ScoreCommand::ScoreCommand(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("score", "Score given translations or texts with a model");
  command.add_option("--model", model_, "Model folder")
      ->option_text("DIR")
      ->transform(model_name())
      ->required();
  add_adapter_flag(command, adapter_);
  add_tag_flag(command, tag_);
  command.add_option("--source", source_, "Source sentences, one per line; - for standard input")
      ->option_text("FILE")
      ->check(file_name());
  command.add_option("--target", target_, "Their translations, one per line; - for standard input")
      ->option_text("FILE")
      ->check(file_name());
  command.add_option("--text", text_, "Texts for a language model, one per line (default: -)")
      ->option_text("FILE")
      ->check(file_name())
      ->excludes("--source")
      ->excludes("--target");
  command.add_flag("--document", document_, "The input is one text, not a text per line")
      ->excludes("--source")
      ->excludes("--target");
  command
      .add_option("--max-length", max_length_,
                  "Maximum tokens per line; time grows with their square (default: 8192)")
      ->option_text("N")
      ->check(between(int64_t{1}, int64_t{1000000}));
  command.add_flag("--words", words_, "Also score each word, or each token of a text");
  command.add_flag("--json", json_, "Write one JSON object per line");
  command.add_option("--threads", threads_, "Threads (default: 0, one per core)")
      ->option_text("N")
      ->check(between(0, 1024));
  command.add_flag("--force", forced_, "Read files even if they do not look like text");
  command.footer(score_example);
  command.parse_complete_callback([this] {
    if (source_.empty() != target_.empty())
      throw CLI::RequiredError(source_.empty() ? "--source" : "--target");
    check_one_reads_standard_input(
        std::vector<FileFlag>{{"--source", source_}, {"--target", target_}});
  });
}

void ScoreCommand::run(const Console& console) const {
  require(tag_.empty() || !source_.empty(), ErrorKind::usage,
          "--tag: it stands in front of a source, so --source and --target were expected");
  if (document_) return score_document(console);
  if (source_.empty()) return score_texts(console);
  score_pairs(console);
}

void ScoreCommand::score_texts(const Console& console) const {
  TextLines lines = open_lines(console, text_, forced_);
  const ModelFolder folder = load_adapted(model_, adapter_);
  require(is_language_model(folder), ErrorKind::usage,
          "{}: is not a language model, so --source and --target were expected", model_);
  Workers workers(threads_ > 0 ? threads_ : core_count());
  double log_probability = 0;
  int64_t tokens = 0;
  while (true) {
    const auto first = static_cast<size_t>(lines.counts().lines) + 1;
    const std::vector<std::string> texts = lines.next(lines_at_once);
    if (texts.empty()) break;
    for (const TextScore& score : heed::score_texts(*folder.model, folder.target, texts, workers,
                                                    {.first = first, .max_length = max_length_})) {
      for (const double token : score.tokens) log_probability += token;
      tokens += static_cast<int64_t>(score.tokens.size());
      console.out << text_of_score(score, folder.target, words_, json_) << '\n';
    }
  }
  require(tokens > 0, "{}: has no text", lines.name());
  report_broken(console, lines);
  console.err << fmt::format(
      "{}: perplexity {:.4f} per token ({})\n", counted(lines.counts().lines, "text"),
      std::exp(-log_probability / static_cast<double>(tokens)), counted(tokens, "token"));
}

void ScoreCommand::score_document(const Console& console) const {
  TextLines lines = open_lines(console, text_, forced_);
  const ModelFolder folder = load_adapted(model_, adapter_);
  require(is_language_model(folder), ErrorKind::usage,
          "{}: is not a language model, so --document is not for it", model_);
  std::string text;
  bool first = true;
  for (std::string line; lines.next(line); first = false) text += (first ? "" : "\n") + line;
  require(!text.empty(), "{}: has no text", lines.name());
  Workers workers(threads_ > 0 ? threads_ : core_count());
  const TextScore score = heed::score_document(*folder.model, folder.target, text, workers);
  console.out << text_of_score(score, folder.target, words_, json_) << '\n';
  report_broken(console, lines);
  console.err << fmt::format(
      "perplexity {:.4f} per token ({} tokens with the end)\n",
      std::exp(-std::accumulate(score.tokens.begin(), score.tokens.end(), 0.0) /
               static_cast<double>(score.tokens.size())),
      score.tokens.size());
}

void ScoreCommand::score_pairs(const Console& console) const {
  TextLines source = open_lines(console, source_, forced_),
            target = open_lines(console, target_, forced_);
  const ModelFolder folder = load_adapted(model_, adapter_);
  require(!is_language_model(folder), ErrorKind::usage,
          "{}: is a language model, so --text was expected instead of --source and --target",
          model_);
  const std::vector<TagIds> tags = {tags_of(folder).ids_of(tag_)};
  Workers workers(threads_ > 0 ? threads_ : core_count());
  Totals totals;
  while (true) {
    const std::vector<std::string> sources = source.next(lines_at_once),
                                   targets = target.next(lines_at_once);
    const auto& [longer, shorter] =
        sources.size() > targets.size() ? std::tie(source, target) : std::tie(target, source);
    require(sources.size() == targets.size(), "{} has more lines than {}, which has {}",
            longer.name(), shorter.name(), shorter.counts().lines);
    if (sources.empty()) break;
    for (const LineScore& score :
         score_lines(*folder.model, folder.source, folder.target, sources, targets, workers,
                     {.first = static_cast<size_t>(totals.pairs) + 1,
                     .max_length = max_length_,
                     .tags = tags})) {
      totals.add(score);
      console.out << text_of_score(score, words_, json_) << '\n';
    }
  }
  require(totals.pairs > 0, "{}: has no lines", source.name());
  for (const TextLines* lines : {&source, &target}) report_broken(console, *lines);
  console.err << fmt::format(
      "{}: perplexity {:.4f} per token ({} tokens), {:.4f} per word ({} words, including ends of "
      "sentences)\n",
      counted(totals.pairs, "pair"), totals.perplexity(totals.tokens), totals.tokens,
      totals.perplexity(totals.words), totals.words);
}

}  // namespace heed
