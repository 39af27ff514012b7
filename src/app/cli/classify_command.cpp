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

constexpr const char* worked_example =
    R"(Reads texts from standard input, one per line, and writes for each "label TAB probability".
Where texts may have several labels, all that are at least as likely as not are written, and none
leave an empty line. --json writes an object per line with "label", "probability" and "scores"; with
several labels, "labels" and "scores".

--words adds the words that the decision looked at. If the model pools by attention, a word's weight
is its attention weight. Otherwise it is gradient × input: how much the likeliest label's score
changes with the word's embedding, times that embedding; below 0, it speaks against the label. Plain
lines show the five words that count most, JSON shows all.

--labelled reads texts with their labels instead, "label TAB text" a line or JSONL with "text" and
"label" or "labels", and writes accuracy, F1, precision and recall of each label, and the confusion
matrix.

  $ heed classify --model topics < questions.txt
  $ heed classify --model topics --json --words < questions.txt | jq -c .words
  $ heed classify --model topics --labelled test.tsv
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
                            const ClassifierFolder& folder) {
  std::map<std::string, int32_t> numbers;
  for (const std::string& label : folder.labels)
    numbers.emplace(label, static_cast<int32_t>(numbers.size()));
  LabelledReader reader(path == "-" ? LineReader(console.in(), "standard input") : LineReader(path),
                        labelled_format(path));
  LabelledTexts all;
  for (LabelledText text; reader.next(text);) {
    all.labels.push_back(numbers_of(text, reader, numbers, folder.config.several_labels));
    all.texts.push_back(text.text);
  }
  require(!all.texts.empty(), "{}: there are no texts", path);
  return all;
}

}  // namespace

ClassifyCommand::ClassifyCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("classify", "Give texts their labels");
  command.add_option("--model", model_, "Model folder")
      ->option_text("DIR")
      ->transform(model_name())
      ->required();
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
  command.footer(worked_example);
}

void ClassifyCommand::run(const Console& console) const {
  const ClassifierFolder folder = load_classifier_folder(model_);
  const bool integers = int8_ || folder.storage == WeightStorage::int8;
  const TextClassifier classifier(
      *folder.model, folder.pieces,
      {.precision = integers ? Precision::int8 : Precision::float32, .want_words = words_});
  Workers workers(threads_ > 0 ? threads_ : core_count());
  if (labelled_.empty())
    classify(folder, classifier, workers, console);
  else
    measure(folder, classifier, workers, console);
}

void ClassifyCommand::classify(const ClassifierFolder& folder, const TextClassifier& classifier,
                               Workers& workers, const Console& console) const {
  TextLines lines = open_lines(console, "-", forced_);
  int64_t cut = 0;
  while (true) {
    const std::vector<std::string> texts = next_chunk(lines);
    if (texts.empty()) break;
    for (const ClassifiedText& text : classifier.classify(texts, workers)) {
      cut += text.cut;
      console.out << (json_ ? json_line(text, folder.labels, top_, folder.config.several_labels)
                            : plain_line(text, folder.labels, top_));
    }
    console.out.flush();
  }
  report_texts(console, lines.counts(), cut, folder.model->max_length());
}

void ClassifyCommand::measure(const ClassifierFolder& folder, const TextClassifier& classifier,
                              Workers& workers, const Console& console) const {
  const LabelledTexts texts = read_labelled(console, labelled_, folder);
  std::vector<std::vector<int32_t>> given;
  int64_t cut = 0;
  for (ClassifiedText& text : classifier.classify(texts.texts, workers)) {
    cut += text.cut;
    given.push_back(std::move(text.labels));
  }
  const ClassificationScores scores =
      score_classification(texts.labels, given, folder.config.labels);
  console.out << (json_ ? json_report(scores, folder.labels) : plain_report(scores, folder.labels));
  report_texts(console, {scores.texts, 0}, cut, folder.model->max_length());
}

}  // namespace heed
