#include "heed/app/cli/classify_command.h"

#include <algorithm>
#include <map>

#include "heed/app/cli/classification_text.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/app/cli/text_chunks.h"
#include "heed/base/error.h"

namespace heed {

namespace {

constexpr const char* classify_example =
    R"(Reads texts from standard input, one per line, and writes for each "label TAB probability".
Where texts may have several labels, all that are at least as likely as not are written, and none
leave an empty line. --json writes an object per line with "label", "probability" and "scores"; with
several labels, "labels" and "scores".

--words adds the words that the decision looked at. If the model pools by attention, a word's weight
is its attention weight. Otherwise it is gradient × input: how much the likeliest label's score
changes with the word's embedding, times that embedding; below 0, it speaks against the label. Plain
lines show the five words that count most, JSON shows all.

Several models of the same labels, each after a --model of its own, are one ensemble: their
probabilities, and the weights of words, are averaged.

--labelled reads texts with their labels instead, "label TAB text" a line or JSONL with "text" and
"label" or "labels", and writes accuracy, F1, precision and recall of each label, and the confusion
matrix.

  $ heed classify --model topics < questions.txt
  $ heed classify --model topics --json --words < questions.txt | jq -c .words
  $ heed classify --model topics --labelled test.tsv
  $ heed classify --model seed-1 --model seed-2 --model seed-3 < questions.txt
)";

// Texts and the numbers of their labels.
struct LabelledTexts {
  std::vector<std::string> texts;
  std::vector<std::vector<int32_t>> labels;
};

std::vector<int32_t> numbers_of(const LabelledText& text, const LabelledReader& reader,
                                const std::map<std::string, int32_t>& numbers, bool several) {
  require(several || text.labels.size() == 1, "{}: {} labels but the model gives one",
          reader.where(), text.labels.size());
  std::vector<int32_t> found;
  for (const std::string& label : text.labels) {
    const auto known = numbers.find(label);
    require(known != numbers.end(), "{}: the model does not know the label {}", reader.where(),
            Quoted{label});
    found.push_back(known->second);
  }
  return found;
}

LabelledTexts read_labelled(const Console& console, const std::string& path,
                            const ClassifierEnsemble& models) {
  std::map<std::string, int32_t> numbers;
  for (const std::string& label : models.labels())
    numbers.emplace(label, static_cast<int32_t>(numbers.size()));
  LabelledReader reader(path == "-" ? LineReader(console.in(), "standard input") : LineReader(path),
                        labelled_format(path));
  LabelledTexts all;
  for (LabelledText text; reader.next(text);) {
    all.labels.push_back(numbers_of(text, reader, numbers, models.several_labels()));
    all.texts.push_back(text.text);
  }
  require(!all.texts.empty(), "{}: there are no texts", path);
  return all;
}

}  // namespace

ClassifyCommand::ClassifyCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("classify", "Give texts their labels");
  command.add_option("--model", models_, "Model folder; repeat for an ensemble")
      ->option_text("DIR")
      ->transform(model_name())
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  command.add_flag("--json", json_, "Write JSON: an object per line, or the report");
  CLI::Option* top =
      command.add_option("--top", top_, "Labels to show of each text, the likeliest first")
          ->option_text("N")
          ->check(between(1, 10000));
  CLI::Option* words =
      command.add_flag("--words", words_, "Show the words that the decision looked at");
  command.add_option("--labelled", labelled_, "Measure with the labelled texts of this file")
      ->option_text("FILE")
      ->check(file_name())
      ->excludes(top)
      ->excludes(words);
  command.add_flag("--int8", int8_, "Compute with 8-bit integers");
  command.add_option("--threads", threads_, "Threads (default: 0, one per core)")
      ->option_text("N")
      ->check(between(0, 1024));
  command.add_flag("--force", forced_, "Read texts even if they do not look like text");
  command.footer(classify_example);
}

void ClassifyCommand::run(const Console& console) const {
  const ClassifierEnsemble models = ClassifierEnsemble::load(
      models_, {.precision = int8_ ? Precision::int8 : Precision::float32, .want_words = words_});
  Workers workers(threads_ > 0 ? threads_ : core_count());
  if (labelled_.empty())
    classify(models, workers, console);
  else
    measure(models, workers, console);
}

void ClassifyCommand::classify(const ClassifierEnsemble& models, Workers& workers,
                               const Console& console) const {
  TextLines lines = open_lines(console, "-", forced_);
  int64_t cut = 0;
  while (true) {
    const std::vector<std::string> texts = next_chunk(lines);
    if (texts.empty()) break;
    for (const ClassifiedText& text : models.classify(texts, workers)) {
      cut += text.cut;
      console.out << (json_ ? json_line(text, models.labels(), top_, models.several_labels())
                            : plain_line(text, models.labels(), top_));
    }
    console.out.flush();
  }
  report_texts(console, lines.counts(), cut, models.max_length());
}

void ClassifyCommand::measure(const ClassifierEnsemble& models, Workers& workers,
                              const Console& console) const {
  const LabelledTexts texts = read_labelled(console, labelled_, models);
  std::vector<std::vector<int32_t>> given;
  int64_t cut = 0;
  for (ClassifiedText& text : models.classify(texts.texts, workers)) {
    cut += text.cut;
    given.push_back(std::move(text.labels));
  }
  const auto labels = static_cast<int64_t>(models.labels().size());
  const ClassificationScores scores = score_classification(texts.labels, given, labels);
  console.out << (json_ ? json_report(scores, models.labels())
                        : plain_report(scores, models.labels()));
  report_texts(console, {scores.texts, 0}, cut, models.max_length());
}

}  // namespace heed
