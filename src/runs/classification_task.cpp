#include "heed/runs/classification_task.h"

#include <algorithm>
#include <map>
#include <memory>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/data/labelled_corpus.h"
#include "heed/data/labelled_examples.h"
#include "heed/decoding/text_classifier.h"
#include "heed/folders/bert_config_json.h"
#include "heed/folders/bert_files.h"
#include "heed/folders/stored_weights.h"
#include "heed/metrics/classification_scores.h"
#include "heed/runs/changed_model.h"
#include "heed/runs/encoder_presets.h"
#include "heed/runs/generating_model.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

ClassifierDescription description_in(const fs::path& folder) {
  const fs::path file = folder / bert_files::config;
  return parse_classifier_config(MappedFile(file).text(), file.string());
}

// "LABEL, LABEL", or "(none)".
std::string names_of(std::span<const int32_t> numbers, std::span<const std::string> labels) {
  std::string text;
  for (const int32_t number : numbers)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", labels[static_cast<size_t>(number)]);
  return text.empty() ? "(none)" : text;
}

class TaughtClassifier final : public TaughtModel {
 public:
  TaughtClassifier(const TrainingSettings& settings, const CorpusStore& valid)
      : found_(description_in(settings.folder)),
        pieces_(WordPieces::load(settings.folder / bert_files::tokenizer)),
        max_length_(std::min(settings.max_length, found_.config.encoder.context_length)),
        hidden_words_(settings.hidden_words),
        sampling_(settings.sampling.value_or(0)),
        samples_(static_cast<size_t>(settings.samples)),
        model_(fresh(found_.config, settings)) {
    const LabelledExamples reader(pieces_, found_.labels, examples_config());
    for (int64_t chunk = 0; chunk < valid.chunks(); ++chunk) {
      const CorpusChunk entries = valid.read(chunk);
      for (const PairView& entry : entries.pairs) {
        texts_.emplace_back(entry.source);
        expected_.push_back(reader.numbers_of(entry));
      }
    }
  }

  PredictingModel& model() override { return *model_; }
  std::string_view name() const override { return "classifier"; }
  ModelSeal seal() const override {
    return ModelSeal(DescriptionFiles{{bert_files::tokenizer, pieces_.json()},
                                      {bert_files::config, to_json(found_)}});
  }
  int64_t source_vocabulary() const override { return pieces_.size(); }
  int64_t target_vocabulary() const override { return found_.config.labels; }

  std::shared_ptr<const ExampleMaker> training_examples() const override {
    LabelledExamplesConfig config = examples_config();
    config.hidden = hidden_words_;
    config.sampling = sampling_;
    return std::make_shared<LabelledExamples>(pieces_, found_.labels, config);
  }
  std::shared_ptr<const ExampleMaker> validation_examples() const override {
    return std::make_shared<LabelledExamples>(pieces_, found_.labels, examples_config());
  }
  // There is no padding, and texts of one length are too much alike.
  bool groups_by_length() const override { return false; }

  Batch made_up_batch() const override {
    Batch batch = heed::made_up_batch(source_vocabulary(), 2);
    const int64_t texts = batch.source.layout.sequences(),
                  answers = found_.config.several_labels ? found_.config.labels : 1;
    batch.target.ids.assign(static_cast<size_t>(texts * answers), 0);
    batch.target.layout = Ragged(std::vector<int64_t>(static_cast<size_t>(texts), answers));
    return batch;
  }

  OutputScores judge(int threads) const override {
    Workers workers(threads);
    const std::vector<ClassifiedText> found =
        TextClassifier(*model_, pieces_).classify(texts_, workers);
    std::vector<std::vector<int32_t>> given;
    for (const ClassifiedText& text : found) given.push_back(text.labels);
    const ClassificationScores scores =
        score_classification(expected_, given, found_.config.labels);
    OutputScores outputs;
    outputs.accuracy = 100 * scores.accuracy;
    outputs.f1 = 100 * scores.macro_f1;
    for (size_t i = 0; i < std::min(samples_, found.size()); ++i)
      outputs.samples.push_back(
          {texts_[i], names_of(expected_[i], found_.labels), names_of(given[i], found_.labels)});
    return outputs;
  }

 private:
  static std::unique_ptr<Classifier> fresh(const ClassifierConfig& config,
                                           const TrainingSettings& settings) {
    Rng rng(derive_key(make_key(settings.seed), 1));
    auto model = std::make_unique<Classifier>(config, rng);
    load_pretrained(settings, model->encoder());
    return model;
  }

  LabelledExamplesConfig examples_config() const {
    return {.max_length = max_length_, .several_labels = found_.config.several_labels};
  }

  ClassifierDescription found_;
  WordPieces pieces_;
  int64_t max_length_;
  double hidden_words_;
  double sampling_;
  size_t samples_;
  std::unique_ptr<Classifier> model_;
  std::vector<std::string> texts_;
  std::vector<std::vector<int32_t>> expected_;
};

}  // namespace

void ClassificationTask::check() const {
  check_encoder_settings(settings());
  const Criterion criterion = settings().trainer.criterion;
  require(criterion != Criterion::bleu && criterion != Criterion::chrf,
          "--criterion: {} is of translations, but the task is to classify", name_of(criterion));
  require(!higher_is_better(criterion) || settings().valid_lines > 0,
          "--criterion: {} needs classified texts, but --valid-lines is 0", name_of(criterion));
}

void ClassificationTask::check_files() const { check_pretrained(settings()); }

std::string ClassificationTask::read(const TextFiles& text, const fs::path& to) const {
  const LabelledReport report = prepare_labelled(text.files, to);
  return fmt::format("{} labelled text{}", report.texts, report.texts == 1 ? "" : "s");
}

void ClassificationTask::check_corpus(const CorpusStore& train, const CorpusStore* valid) const {
  const LabelStatistics found = count_labels(train);
  const std::string files = fmt::format("{}", fmt::join(settings().train, " "));
  require(found.texts.size() >= 2 || (!found.one_each && !found.texts.empty()),
          "{}: {} but at least two labels were expected", files,
          found.texts.empty() ? "no text has a label"
                              : "every text has the label " + quote(found.texts.begin()->first));
  for (const auto& [label, texts] : found.texts)
    require(texts >= 2,
            "{}: the label {} occurs once but at least two texts of a label were "
            "expected",
            files, Quoted{label});
  if (valid == nullptr) return;
  const LabelStatistics held_out = count_labels(*valid);
  for (const auto& [label, texts] : held_out.texts)
    require(found.texts.contains(label), "{}: the label {} is not in the training texts",
            fmt::join(settings().valid, " "), Quoted{label});
  require(!found.one_each || held_out.one_each,
          "{}: a text has several labels or none, but every training text has one",
          fmt::join(settings().valid, " "));
}

TrainingTask::HoldingOut ClassificationTask::holding_out(const CorpusStore& all) const {
  auto left =
      std::make_shared<std::map<std::string, int64_t, std::less<>>>(count_labels(all).texts);
  return [left](const PairView& entry) {
    const std::vector<std::string_view> labels = labels_of(entry);
    for (const std::string_view label : labels)
      if (left->find(label)->second < 2) return false;
    for (const std::string_view label : labels) --left->find(label)->second;
    return true;
  };
}

LearnerConfig ClassificationTask::learner(const CorpusSize& size) const {
  return chosen_encoder(settings(), size).learner;
}

void ClassificationTask::describe_model(const CorpusStore& train, const Announce& announce) const {
  const WordPieces pieces = encoder_pieces(settings(), sentences_of(train, Side::source), announce);
  const LabelStatistics found = count_labels(train);
  ClassifierDescription description = {.config = chosen_encoder(settings(), size_of(train)).model,
                                       .labels = {}};
  ClassifierConfig& config = description.config;
  for (const auto& [label, texts] : found.texts) description.labels.push_back(label);
  config.labels = static_cast<int64_t>(description.labels.size());
  config.several_labels = config.several_labels || !found.one_each;
  config.encoder.vocabulary = std::max<int64_t>(config.encoder.vocabulary, pieces.size());
  heed::check(config);  // before it is written
  write_file_atomically(settings().folder / bert_files::tokenizer, pieces.json());
  write_file_atomically(settings().folder / bert_files::config, to_json(description));
}

void ClassificationTask::change_model(const CorpusSize& size) const {
  const ClassifierDescription before = description_in(settings().folder);
  ClassifierDescription now = before;
  now.config = chosen_encoder(settings(), size).model;
  now.config.encoder.vocabulary = before.config.encoder.vocabulary;
  now.config.labels = before.config.labels;
  now.config.several_labels = before.config.several_labels;
  Classifier old_model(before.config, Initialiser::unset()),
      new_model(now.config, Initialiser::unset());
  require_same_shapes(settings().folder, old_model, new_model);
  replace_config(settings().folder, to_json(now), now != before);
}

std::unique_ptr<TaughtModel> ClassificationTask::open(const CorpusStore& valid) const {
  return std::make_unique<TaughtClassifier>(settings(), valid);
}

}  // namespace heed
