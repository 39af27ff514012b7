#include "heed/runs/language_task.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/data/text_corpus.h"
#include "heed/data/text_examples.h"
#include "heed/decoding/text_generator.h"
#include "heed/folders/model_folder.h"
#include "heed/runs/generating_model.h"

namespace heed {

namespace {

// Of the samples at each validation.
constexpr size_t prompt_tokens = 16;
constexpr int64_t continued_tokens = 32;

LanguageModelConfig config_of(const TrainingSettings& settings, const CorpusSize& size) {
  return std::get<LanguageModelConfig>(chosen_preset(settings, size).model);
}

Vocabulary make_vocabulary(const TrainingSettings& settings, const CorpusStore& train,
                           const Announce& announce) {
  if (!settings.vocabulary_files.empty())
    return Vocabulary::load(settings.vocabulary_files.front());
  announce("learning the vocabulary");
  VocabularyConfig config = settings.vocabulary;
  config.running = true;
  config.seed = settings.seed;
  return train_vocabulary(config, sentences_of(train, Side::target));
}

// The beginnings of held-out texts, and how they go on.
struct Prompt {
  std::string begin, rest;
};

std::vector<Prompt> prompts_of(const CorpusStore& valid, const Vocabulary& vocabulary,
                               size_t context, size_t wanted) {
  std::vector<Prompt> prompts;
  for (int64_t chunk = 0; chunk < valid.chunks() && prompts.size() < wanted; ++chunk) {
    const CorpusChunk entries = valid.read(chunk);
    for (const PairView& entry : entries.pairs) {
      if (prompts.size() == wanted) break;
      const std::vector<int32_t> ids = vocabulary.encode(text_part(entry).text);
      const size_t read = std::min({prompt_tokens, ids.size() / 2, context / 2});
      const size_t end = std::min(ids.size(), read + continued_tokens);
      const std::string begin = vocabulary.decode(std::span(ids).first(read));
      if (!begin.empty())
        prompts.push_back({begin, vocabulary.decode(std::span(ids).subspan(read, end - read))});
    }
  }
  return prompts;
}

class TaughtLanguageModel final : public TaughtModel {
 public:
  TaughtLanguageModel(const TrainingSettings& settings, const CorpusStore& valid)
      : found_(load_model_description(settings.folder)),
        model_(new_model(found_.config, settings.seed)),
        prompts_(prompts_of(valid, found_.target, static_cast<size_t>(context_length()),
                            static_cast<size_t>(settings.samples))) {}

  PredictingModel& model() override { return *model_; }
  std::string_view name() const override { return name_of(found_.config); }
  ModelSeal seal() const override {
    return seal_of(found_.config, found_.source, found_.target, found_.lengths);
  }
  int64_t source_vocabulary() const override { return 0; }
  int64_t target_vocabulary() const override { return found_.target.size(); }

  std::shared_ptr<const ExampleMaker> training_examples() const override { return windows(true); }
  std::shared_ptr<const ExampleMaker> validation_examples() const override {
    return windows(false);
  }
  // Nearly all windows are of one length.
  bool groups_by_length() const override { return false; }

  OutputScores judge(int threads) const override {
    OutputScores scores;
    const TextGenerator generator(model_->prepare(Precision::float32), found_.target,
                                  {.threads = threads});
    for (const auto& [begin, rest] : prompts_) {
      // The likeliest tokens alone would repeat themselves early in training.
      const std::vector<Continuation> found = generator.generate(
          {.prompt = begin,
           .options = {.sampling = Sampling{.temperature = 0.8}, .max_tokens = continued_tokens}});
      scores.samples.push_back({begin, rest, found.front().text});
    }
    return scores;
  }

 private:
  int64_t context_length() const {
    return std::get<LanguageModelConfig>(found_.config).context_length;
  }
  std::shared_ptr<const ExampleMaker> windows(bool moving) const {
    return std::make_shared<TextExamples>(
        found_.target, TextExamplesConfig{.context_length = context_length(), .moving = moving});
  }

  ModelDescription found_;
  std::unique_ptr<Model> model_;
  std::vector<Prompt> prompts_;
};

}  // namespace

void LanguageTask::check() const {
  check_presets(settings());
  require(settings().pretrained.empty() && !settings().cased,
          "--{}: language models do not have it", settings().cased ? "cased" : "pretrained");
  const Criterion criterion = settings().trainer.criterion;
  require(!higher_is_better(criterion),
          "--criterion: {} but a language model is judged by cross-entropy or perplexity",
          name_of(criterion));
  require(settings().vocabulary_files.size() <= 1,
          "--vocabulary-files: {} but a language model has one vocabulary",
          settings().vocabulary_files.size());
  require(!settings().separate,
          "--separate-vocabularies: a language model has only one vocabulary");
  require(!settings().sampling, "--sampling: language models are not trained with it");
  require(settings().watch.empty() && settings().watch_file.empty(),
          "--watch: only translations can be watched");
}

std::string LanguageTask::read(const TextFiles& text, const std::filesystem::path& to) const {
  return prepare_text(text.files, settings().documents, to).in_words();
}

LearnerConfig LanguageTask::learner(const CorpusSize& size) const {
  return chosen_preset(settings(), size).learner;
}

void LanguageTask::describe_model(const CorpusStore& train, const Announce& announce) const {
  const Vocabulary vocabulary = make_vocabulary(settings(), train, announce);
  LanguageModelConfig config = config_of(settings(), size_of(train));
  config.vocabulary = vocabulary.size();
  heed::check(config);  // before it is written
  save_model_description(settings().folder, config, vocabulary, vocabulary);
}

void LanguageTask::change_model(const CorpusSize& size) const {
  change_description(settings(), chosen_preset(settings(), size).model);
}

std::unique_ptr<TaughtModel> LanguageTask::open(const CorpusStore& valid) const {
  return std::make_unique<TaughtLanguageModel>(settings(), valid);
}

}  // namespace heed
